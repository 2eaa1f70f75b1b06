#!/bin/sh
# Build the firmware:  ./build.sh OUT host|avr|arm [compiler flags]
# host: gcc.  avr: gcc-avr, avr-libc.  arm: gcc-arm-none-eabi.  CC names another compiler.
set -eu
out=$1 target=$2; shift 2
cd "$(dirname "$0")"; mkdir -p "$out"
warn="-std=c11 -Wall -Wextra -Werror -Wconversion -Wshadow"
firmware="frame.c link.c record.c faults.c feed.c shoe.c bench.c"
small="-Os -ffunction-sections -fdata-sections -Wl,--gc-sections"
case $target in
host) ${CC:-gcc} -O2 $warn -DRING_SIZE=128u -DRING_KEPT=1 "$@" -o "$out/shoe-host" $firmware hands.c hosted.c host.c ;;
avr) ${CC:-avr-gcc} -mmcu=atmega328p -DF_CPU=16000000UL $small $warn "$@" -o "$out/shoe-avr.elf" $firmware avr.c ;;
arm) ${CC:-arm-none-eabi-gcc} -mcpu=cortex-m3 -mthumb -nostdlib -ffreestanding $small $warn -DRING_SIZE=128u "$@" \
       -T arm.ld -o "$out/shoe-arm.elf" $firmware arm.c -lgcc ;;
*) echo "target $target is not one of host, avr, arm" >&2; exit 64 ;;
esac
