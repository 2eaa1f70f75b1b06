import "./surveillance.js";
