/** Formatting shared by several screens. */
import { changeText } from '../../domain/pricing/quota-text.ts';
import { CHANNEL_STATUS, statusNumber } from '../../domain/statuses.ts';
import { hasText, type Translate } from '../../locales/text.ts';
import { amountText, localTime } from '../../session/text.ts';
import { type CellText, type Column, shownCell } from '../model/columns.ts';
import type { Line, Span, Tone } from '../model/line.ts';
import { ageOf } from '../model/poll.ts';
import type { Viewer } from './screen.ts';

/** Each state has its own shape, so that colour is never the only indicator. */
const MARKS: Readonly<Record<string, { readonly mark: string; readonly tone: Tone }>> = {
  enabled: { mark: '+', tone: 'good' },
  unused: { mark: '+', tone: 'good' },
  disabled: { mark: 'x', tone: 'bad' },
  banned: { mark: 'x', tone: 'bad' },
  locked: { mark: 'x', tone: 'bad' },
  auto_disabled: { mark: '!', tone: 'warn' },
  expired: { mark: '!', tone: 'warn' },
  exhausted: { mark: '!', tone: 'warn' },
  upcoming: { mark: '-', tone: 'info' },
  used: { mark: '-', tone: 'dim' },
};

/** `+ on`, `x off`, `! auto`, by status word. */
export function statusShown(word: string, { t }: Viewer): Required<Span> {
  const { mark, tone } = MARKS[word] ?? { mark: '?', tone: 'dim' };
  return { text: `${mark} ${t(`tui.status.${word}`)}`, tone };
}

/** Filter by status that accepts short and long words. */
export function statusFilter(
  table: Readonly<Record<string, number>>,
): (value: string) => object | undefined {
  const words: Readonly<Record<string, number | undefined>> = {
    on: table.enabled ?? table.unused,
    off: table.disabled ?? table.banned,
    auto: table === CHANNEL_STATUS ? CHANNEL_STATUS.auto_disabled : undefined,
  };
  return (value) => {
    const status = words[value.toLowerCase()] ?? statusNumber(table, value);
    return status === undefined ? undefined : { status };
  };
}

export function money(units: number, { quotaPerUnit }: Viewer): string {
  return amountText(units, quotaPerUnit);
}

/** What an entry did to a balance, with its sign. */
export function balanceChange(units: number, { quotaPerUnit }: Viewer): string {
  return changeText(units, { currency: true, quotaPerUnit });
}

/** Formatter for a column of amounts. */
export function usd(viewer: Viewer): (units: number) => string {
  return (units) => money(units, viewer);
}

/** Time left, such as `6 d`, or `never`, or `expired`; -1 and 0 mean never. */
export function untilText(epochSec: number, { t, nowMs }: Viewer): string {
  if (epochSec <= 0) return t('tui.words.never');
  const left = epochSec - nowMs() / 1000;
  if (left <= 0) return t('tui.words.expired');
  const { n, unit } = ageOf(left);
  return t(`tui.age.${unit}`, { n });
}

/** The time at which something ends, or `never`. */
export function endText(epochSec: number, { t }: Viewer): string {
  return epochSec > 0 ? timeText(epochSec) : t('tui.words.never');
}

export function agoText(epochSec: number, { t, nowMs }: Viewer): string {
  if (epochSec <= 0) return '-';
  const { n, unit } = ageOf(nowMs() / 1000 - epochSec);
  return t(`tui.age.${unit}`, { n });
}

/** Shows an age on screen but speaks the time itself, which does not change with every read. */
export function agoShown(epochSec: number, viewer: Viewer): CellText {
  return { text: agoText(epochSec, viewer), label: timeText(epochSec) };
}

export function secondsText(ms: number): string {
  if (ms <= 0) return '-';
  if (ms < 100) return `${ms}ms`;
  return ms < 100_000 ? `${(ms / 1000).toFixed(1)}s` : `${Math.round(ms / 1000)}s`;
}

export function timeText(epochSec: number): string {
  return epochSec > 0 ? localTime(epochSec) : '-';
}

/** The time for today, otherwise the date. */
export function shortTime(epochSec: number, { nowMs }: Viewer): string {
  const text = localTime(epochSec);
  return text.slice(0, 10) === localTime(nowMs() / 1000).slice(0, 10)
    ? text.slice(11)
    : text.slice(5, 16);
}

/** `14:00`. */
export function localMinutes(epochSec: number): string {
  return localTime(epochSec).slice(11, 16);
}

/** `name: value`. */
export function named(field: { readonly name: string; readonly value: string }, t: Translate) {
  return field.name + t('tui.words.colon') + field.value;
}

/** Column titles that are abbreviated on screen have a separate full text. */
export function columnName(key: string, { t, language }: Viewer): string {
  const label = `tui.speech.columns.${key}`;
  return t(hasText(label, language) ? label : `tui.columns.${key}`);
}

/** Lines `name   value` of a detail; empty values are left out. */
export function fieldLines<Row>(
  columns: readonly Column<Row>[],
  row: Row,
  viewer: Viewer,
): readonly Line[] {
  return columns.flatMap((column) => {
    const { text, tone } = shownCell(column.full?.(row) ?? column.shown(row));
    const value = { text: text.trim(), ...(tone !== undefined && { tone }) };
    const name = { text: `${columnName(column.key, viewer)}  `, tone: 'dim' } as const;
    return value.text === '' ? [] : [[name, value]];
  });
}
