/** Dialogs over a screen: pure state, updated one key at a time. */
import { type TextInput, textInput, textOf, withKey } from './text-input.ts';

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** Displayed as dots. */
  readonly secret?: boolean;
  readonly hint?: string;
}

export interface Confirm {
  readonly kind: 'confirm';
  readonly title: string;
  readonly body: readonly string[];
  /** Label of the confirming button. */
  readonly verb: string;
  /** Must be typed to enable the button: the number of objects that are lost. */
  readonly count?: number;
  readonly input: TextInput;
  readonly isOnVerb: boolean;
}

export interface Form {
  readonly kind: 'form';
  readonly title: string;
  readonly fields: readonly FormField[];
  readonly inputs: readonly TextInput[];
  readonly at: number;
  /** Error of the last attempt. */
  readonly error: string;
  readonly isSending: boolean;
}

export interface TextPage {
  readonly kind: 'text';
  readonly title: string;
  readonly lines: readonly string[];
  readonly top: number;
}

export interface MenuChoice {
  readonly kind: 'choice';
  readonly title: string;
  readonly options: readonly { readonly key: string; readonly label: string }[];
  readonly on: ReadonlySet<string>;
  readonly at: number;
}

export type Overlay = Confirm | Form | TextPage | MenuChoice;

/** Undefined when the user cancelled. */
export type DialogAnswer = true | string | Readonly<Record<string, string>> | undefined;

/** The remaining overlay, and the answer if there is one: a form stays visible while it is sent. */
export type KeyResult =
  | { readonly overlay: Overlay }
  | { readonly answer: DialogAnswer }
  | { readonly overlay: Overlay; readonly answer: DialogAnswer };

export function confirmation(fields: Pick<Confirm, 'title' | 'body' | 'verb' | 'count'>): Confirm {
  return { kind: 'confirm', ...fields, input: textInput(), isOnVerb: false };
}

export function formOf(title: string, fields: readonly FormField[]): Form {
  const inputs = fields.map(({ value }) => textInput(value));
  return { kind: 'form', title, fields, inputs, at: 0, error: '', isSending: false };
}

function valuesOf({ fields, inputs }: Form): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fields.map(({ name }, index) => [name, textOf(inputs[index] ?? textInput())]),
  );
}

/** @param height visible lines of text */
export function handleKey(overlay: Overlay, key: string, height: number): KeyResult {
  if (key === 'escape') return { answer: undefined };
  switch (overlay.kind) {
    case 'confirm':
      return inConfirm(overlay, key);
    case 'form':
      return inForm(overlay, key);
    case 'text':
      return inText(overlay, key, height);
    case 'choice':
      return inChoice(overlay, key);
  }
}

/** Cancel is the default button, and the count must be typed, so that a slip deletes nothing. */
function inConfirm(overlay: Confirm, key: string): KeyResult {
  const { isOnVerb, count, input } = overlay;
  if (['tab', 'shift+tab', 'left', 'right'].includes(key))
    return { overlay: { ...overlay, isOnVerb: !isOnVerb } };
  if (key === 'enter') {
    if (!isOnVerb) return { answer: undefined };
    return isCountTyped(overlay) ? { answer: true } : { overlay };
  }
  if (count === undefined) return key === 'q' ? { answer: undefined } : { overlay };
  return { overlay: { ...overlay, input: withKey(input, key) } };
}

export function isCountTyped({ count, input }: Confirm): boolean {
  return count === undefined || textOf(input).trim() === String(count);
}

function inForm(form: Form, key: string): KeyResult {
  if (form.isSending) return { overlay: form };
  const { at, inputs } = form;
  const last = inputs.length - 1;
  if (key === 'ctrl+s' || (key === 'enter' && at === last))
    return { overlay: { ...form, error: '', isSending: true }, answer: valuesOf(form) };
  if (key === 'tab' || key === 'down' || key === 'enter')
    return { overlay: { ...form, at: at === last ? 0 : at + 1 } };
  if (key === 'shift+tab' || key === 'up')
    return { overlay: { ...form, at: at === 0 ? last : at - 1 } };
  const input = inputs[at];
  if (input === undefined) return { overlay: form };
  return { overlay: { ...form, inputs: inputs.with(at, withKey(input, key)) } };
}

const CLOSING: ReadonlySet<string> = new Set(['enter', 'backspace', 'q', '?', 'm']);

function inText(page: TextPage, key: string, height: number): KeyResult {
  if (CLOSING.has(key)) return { answer: undefined };
  const { top } = page;
  const last = Math.max(0, page.lines.length - height);
  const goals: Readonly<Record<string, number>> = {
    up: top - 1,
    k: top - 1,
    down: top + 1,
    j: top + 1,
    pageup: top - height,
    pagedown: top + height,
    space: top + height,
    home: 0,
    end: last,
  };
  return { overlay: { ...page, top: Math.min(last, Math.max(0, goals[key] ?? top)) } };
}

function inChoice(choice: MenuChoice, key: string): KeyResult {
  const { options, at, on } = choice;
  const last = options.length - 1;
  if (['up', 'k', 'shift+tab'].includes(key))
    return { overlay: { ...choice, at: Math.max(0, at - 1) } };
  if (['down', 'j', 'tab'].includes(key))
    return { overlay: { ...choice, at: Math.min(last, at + 1) } };
  if (key === 'enter' || key === 'c') return { answer: [...on].join(',') };
  const option = options[at];
  if (key !== 'space' || option === undefined) return { overlay: choice };
  const changed = new Set(on);
  if (!changed.delete(option.key)) changed.add(option.key);
  return { overlay: { ...choice, on: changed } };
}
