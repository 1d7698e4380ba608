/** Formats the API's times (epoch seconds) as text in the user's time zone. */
import i18next from 'i18next';

/** `2026-11-21 07:56:12`, the same in every language. */
export function dateTimeText(epochSec: number): string {
  const date = new Date(epochSec * 1000);
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits);
  return `${dateText(epochSec)} ${time.join(':')}`;
}

/** `2026-11-21`. */
export function dateText(epochSec: number): string {
  const date = new Date(epochSec * 1000);
  return [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join('-');
}

/** Converts the API's ISO time to epoch seconds. */
export function epochSeconds(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}

/** The user's time zone, e.g. `Asia/Shanghai`, for tooltips. */
export function zoneName(): string {
  zone ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone;
}

/** Cached, because looking it up is slow and tables need it in every row. */
let zone: string | undefined;

const STEPS = [
  { unit: 'year', seconds: 31_536_000 },
  { unit: 'month', seconds: 2_592_000 },
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const;

/** `3 min. ago`, `in 2 days`, `just now`, in the given language. */
export function relativeText(epochSec: number, nowSec: number, language: string): string {
  const away = epochSec - nowSec;
  // `Intl` has a word for the present, which reads wrong after "updated".
  if (away === 0) return i18next.t('part.justNow');
  const step = STEPS.find(({ seconds }) => Math.abs(away) >= seconds) ?? STEPS[5];
  return spaced(wordsIn(language).format(Math.trunc(away / step.seconds), step.unit));
}

/** `November 2026`, in the given language. */
export function monthText(date: Date, language: string): string {
  const style = { year: 'numeric', month: 'long' } as const;
  return spaced(new Intl.DateTimeFormat(language, style).format(date));
}

/** With a space between digits and Chinese characters, as in all texts; `Intl` writes none. */
function spaced(text: string): string {
  return text.replaceAll(/(?<=\d)(?=\p{Script=Han})|(?<=\p{Script=Han})(?=\d)/gu, ' ');
}

const DAY_SEC = 86_400;

/** The time within a day, the weekday within a week, else the date; in the user's time zone. */
export function recentTime(atSec: number, nowSec: number, language: string): string {
  const age = nowSec - atSec;
  if (age >= 7 * DAY_SEC) return dateText(atSec);
  const style: Intl.DateTimeFormatOptions =
    age < DAY_SEC ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } : { weekday: 'long' };
  return new Intl.DateTimeFormat(language, style).format(atSec * 1000);
}

const formats = new Map<string, Intl.RelativeTimeFormat>();

function wordsIn(language: string): Intl.RelativeTimeFormat {
  const known = formats.get(language);
  if (known) return known;
  const made = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  formats.set(language, made);
  return made;
}

/** `820 ms`, `3.2 s`, `2 min 5 s`, `3 h 20 min`; all but milliseconds in the user's language. */
export function durationText(ms: number, unitText: UnitText = ownUnit): string {
  if (Math.round(ms) < 1_000) return `${Math.round(ms)} ms`;
  if (Math.round(ms / 100) < 600) return unitText('s', (ms / 1_000).toFixed(1));
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60)
    return joined(unitText('min', minutes), seconds % 60 && unitText('s', seconds % 60));
  const hours = unitText('h', Math.floor(minutes / 60));
  return joined(hours, minutes % 60 && unitText('min', minutes % 60));
}

/** On axes: `3.2 s`, `2.1 min`. */
export function axisDurationText(ms: number): string {
  return ms < 60_000 ? durationText(ms) : ownUnit('min', (ms / 60_000).toFixed(1));
}

type Unit = 'h' | 'min' | 's';

type UnitText = (unit: Unit, count: number | string) => string;

function joined(whole: string, rest: string | 0): string {
  return rest === 0 ? whole : `${whole} ${rest}`;
}

function ownUnit(unit: Unit, count: number | string): string {
  return i18next.t(`duration.${unit}`, { count: String(count) });
}

function twoDigits(part: number): string {
  return String(part).padStart(2, '0');
}
