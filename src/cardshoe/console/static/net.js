// The line to the table: session, requests, and the state as it comes.

const AGAIN_MS = 2000;

// Build a page; where the table is not there (it starts, or is down) say so, and try again until it is.
export async function begun(begin) {
  try {
    await begin();
  } catch (trouble) {
    const page = document.getElementById("page");
    page.textContent = `No line to the table (${trouble.message || trouble}). This page tries again by itself.`;
    setTimeout(() => window.location.reload(), AGAIN_MS);
  }
}

let session = { token: "", people: false, name: "", role: "", waiting: null };
const watchers = [];

export const who = () => session;
export const onSession = (told) => watchers.push(told);

function keep(told) {
  session = told;
  watchers.forEach((each) => each(session));
}

export async function renew() {
  const answer = await fetch("/api/session", { credentials: "same-origin" });
  keep(await answer.json());
  return session;
}

export async function get(path) {
  const answer = await fetch(path, { credentials: "same-origin" });
  const data = await answer.json();
  return answer.ok ? { ok: true, data } : { ok: false, error: data.error };
}

async function posted(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    credentials: "same-origin",
    headers: { "content-type": "application/json", "x-cardshoe-token": session.token },
    body: JSON.stringify(body),
  });
  return { answer, data: await answer.json() };
}

// Send a change. A session that the console has forgotten (it was restarted) is begun anew, once.
export async function post(path, body = {}) {
  try {
    let { answer, data } = await posted(path, body);
    if (answer.status === 401 && data.error.code === "console-signed-out") {
      await renew();
      ({ answer, data } = await posted(path, body));
    }
    if (!answer.ok) return { ok: false, error: data.error };
    if ("token" in data && "people" in data) keep(data);
    return { ok: true, data };
  } catch (trouble) {
    return { ok: false, error: { code: "no-line", text: String(trouble.message || trouble), cites: null } };
  }
}

export const operate = (operation) => post("/api/operations", operation);

// Call `told` with each state; `line` with true or false as the line comes and goes.
export function listen(told, line) {
  let source = null;
  let heard = 0;
  let beats = 0;
  const open = () => {
    if (source) source.close();
    source = new EventSource("/api/events");
    heard = Date.now();
    source.addEventListener("state", (event) => {
      heard = Date.now();
      line(true);
      told(JSON.parse(event.data));
    });
    source.addEventListener("beat", () => {
      heard = Date.now();
      line(true);
    });
    source.onerror = () => {
      line(false);
      if (source.readyState === EventSource.CLOSED) beats = 0;
    };
  };
  open();
  setInterval(() => {
    const silent = Date.now() - heard;
    if (silent > 15000) line(false);
    if (source.readyState === EventSource.CLOSED || silent > 15000) {
      beats += 1;
      if (beats % 2 === 1) open();
    }
  }, 500);
  window.addEventListener("online", open);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && source.readyState !== EventSource.OPEN) open();
  });
}
