/** Converts the dashboard to screen-reader text: all of a newly opened screen, then changes. */

import type { Translate } from '../../locales/text.ts';
import { liveness, tabsOf, whoText } from '../header.ts';
import type { StatusMessage } from '../model/state.ts';
import type { Runtime } from '../runtime.ts';
import { named } from '../screens/format.ts';
import { type DialogText, dialogOf, type InputText } from './dialog-text.ts';
import { asSentence, type Item, itemChangeText, listed, wholeText } from './item.ts';
import { type Cursor, type ScreenText, screenTextOf } from './screen-text.ts';

export class Announcer {
  readonly #runtime: Runtime;
  #announced: ScreenText | undefined;
  #known: ReadonlyMap<string, Item> = new Map();
  #dialog: DialogText | undefined;
  #live: string | undefined;
  #isWorking = false;
  #message: StatusMessage | undefined;
  /** Input on the unfinished line. */
  #input: InputText | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** The text to append to what was announced before; empty when nothing is new. */
  next(): string {
    const lines = [...this.#beginning(), ...this.#notices(), ...this.#messages()];
    const dialog = dialogOf(this.#runtime);
    // Changes behind a dialog are announced after it is closed.
    if (dialog === undefined) lines.push(...this.#changedLines(screenTextOf(this.#runtime)));
    else lines.push(...dialogChanges(this.#dialog, dialog));
    this.#dialog = dialog;
    return this.#written(lines, dialog?.input);
  }

  #beginning(): readonly string[] {
    if (this.#live !== undefined) return [];
    const { state, viewer } = this.#runtime;
    const { profile, location, version } = state.site;
    const who = whoText(this.#runtime);
    const { t } = viewer;
    return [
      listed([`gateway ${profile}`, location, `v${version}`, ...who], t),
      listed(
        [...tabsOf(this.#runtime).map(({ name }) => name), asSentence(t('tui.header.help'), t)],
        t,
      ),
    ];
  }

  /** Changes of whether the data is current and whether an operation is running. */
  #notices(): readonly string[] {
    const { state, viewer } = this.#runtime;
    const before = this.#live;
    const wasWorking = this.#isWorking;
    const { kind: now, text } = liveness(this.#runtime);
    // The items say that they are being loaded.
    const kind = now === 'loading' ? (before ?? 'live') : now;
    this.#live = kind;
    this.#isWorking = state.running > 0;
    return [
      ...((before ?? 'live') === kind ? [] : [text]),
      ...(this.#isWorking && !wasWorking ? [viewer.t('tui.header.running')] : []),
    ];
  }

  #messages(): readonly string[] {
    const { state, viewer } = this.#runtime;
    const { messages } = state;
    const from = this.#message === undefined ? -1 : messages.lastIndexOf(this.#message);
    this.#message = messages.at(-1);
    return messages.slice(from + 1).map(({ text }) => asSentence(text, viewer.t));
  }

  #changedLines(now: ScreenText): readonly string[] {
    const { t } = this.#runtime.viewer;
    const before = this.#announced;
    const known = this.#known;
    this.#announced = now;
    this.#known = new Map(now.items.map((each) => [each.key, each]));
    const title = before?.title === now.title ? [] : [now.title];
    if (before?.contentId !== now.contentId) return [now.title, ...openingLines(now, t)];
    if (now.detail !== undefined) return [...title, ...detailChanges(before, now)];
    const changes = itemChanges(before, { known, now }, t);
    const isMoved = before.cursor?.key !== now.cursor?.key || before.detail !== undefined;
    const isAnnounced =
      now.cursor !== undefined && !known.has(now.cursor.key) && changes.has(now.cursor.key);
    const cursor = now.cursor && isMoved && !isAnnounced ? [cursorText(now.cursor, t)] : [];
    return [...title, ...changes.values(), ...cursor];
  }

  /** An input line stays open, and is started again after other output. */
  #written(lines: readonly string[], input: InputText | undefined): string {
    const open = this.#input;
    this.#input = input;
    const isBroken = lines.length > 0 || open?.label !== input?.label;
    const ended = open !== undefined && isBroken ? '\n' : '';
    const announced = lines.map((line) => `${line}\n`).join('');
    if (input === undefined) return ended + announced;
    const begun = named({ name: input.label, value: input.text }, this.#runtime.viewer.t);
    if (open === undefined || isBroken) return ended + announced + begun;
    return input.text.startsWith(open.text) ? input.text.slice(open.text.length) : `\n${begun}`;
  }
}

/** The whole screen; if a detail is open, only the detail. */
function openingLines({ items, cursor, detail }: ScreenText, t: Translate): readonly string[] {
  if (detail !== undefined) return detail.lines;
  return items.map((each) =>
    each.key === cursor?.key ? cursorText(cursor, t) : wholeText(each, t),
  );
}

function cursorText({ position, item }: Cursor, t: Translate): string {
  return listed([position, wholeText(item, t)], t);
}

function detailChanges(before: ScreenText, { detail }: ScreenText): readonly string[] {
  if (detail === undefined) return [];
  if (before.detail?.key !== detail.key) return detail.lines;
  const announced = new Set(before.detail.lines);
  return detail.lines.filter((line) => !announced.has(line));
}

/** By key: new items, and changed fields of known ones. */
function itemChanges(
  before: ScreenText,
  { known, now }: { readonly known: ReadonlyMap<string, Item>; readonly now: ScreenText },
  t: Translate,
): ReadonlyMap<string, string> {
  const changes = new Map<string, string>();
  for (const each of now.items) {
    const earlier = known.get(each.key);
    // An item that scrolled into view is not new.
    if (earlier === undefined && before.holds(each.key)) continue;
    const text = earlier === undefined ? wholeText(each, t) : itemChangeText(earlier, each, t);
    if (text !== '') changes.set(each.key, text);
  }
  return changes;
}

function dialogChanges(before: DialogText | undefined, now: DialogText): readonly string[] {
  if (before?.key !== now.key) return [...now.lines, ...now.notes];
  return now.notes.filter((note) => !before.notes.includes(note));
}
