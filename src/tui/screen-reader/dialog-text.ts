/** Dialogs, forms and the input line as screen-reader text. */
import { isCountTyped, type Overlay } from '../model/overlay.ts';
import { type TextInput, textInput, textOf } from '../model/text-input.ts';
import type { Runtime } from '../runtime.ts';
import type { Viewer } from '../screens/screen.ts';
import { asSentence } from './item.ts';

export interface InputText {
  readonly label: string;
  readonly text: string;
}

export interface DialogText {
  /** A dialog with a different key is announced from its beginning. */
  readonly key: string;
  readonly lines: readonly string[];
  /** Announced when new: the position in the dialog, and errors. */
  readonly notes: readonly string[];
  /** The current input; typed letters are echoed. */
  readonly input?: InputText;
}

/** The dialog that has the keyboard focus; undefined when the screen has it. */
export function dialogOf({ state, viewer }: Runtime): DialogText | undefined {
  const { overlay, prompt } = state;
  if (overlay !== undefined) {
    const dialog = overlayDialog(overlay, viewer);
    return { ...dialog, lines: dialog.lines.map(asSentence), notes: dialog.notes.map(asSentence) };
  }
  if (prompt === undefined) return undefined;
  const label = viewer.t(`tui.keys_short.${prompt.kind}`);
  return { key: prompt.kind, lines: [], notes: [], input: inputOf(label, prompt.input) };
}

function overlayDialog(overlay: Overlay, { t }: Viewer): DialogText {
  const { kind, title } = overlay;
  const key = `${kind} ${title}`;
  switch (overlay.kind) {
    case 'confirm': {
      const { body, verb, count, input, isOnVerb } = overlay;
      const [chosen, other] = isOnVerb
        ? [verb, t('tui.dialog.cancel')]
        : [t('tui.dialog.cancel'), verb];
      const isReady = !isOnVerb || isCountTyped(overlay);
      const buttons = `${isReady ? 'Enter' : '-'}: ${chosen}  Tab: ${other}`;
      const typing = count === undefined ? undefined : t('tui.dialog.type_count', { count });
      return {
        key,
        lines: [title, ...body],
        notes: [buttons],
        ...(typing !== undefined && { input: inputOf(typing, input) }),
      };
    }
    case 'ask':
      return {
        key,
        lines: [title, t('tui.dialog.ask_keys')],
        notes: [],
        input: inputOf(overlay.label, overlay.input, overlay.secret),
      };
    case 'form': {
      const { fields, inputs, at, error, isSending } = overlay;
      const field = fields[at];
      const label = `${at + 1}/${fields.length} ${field?.label ?? ''}`;
      const sending = isSending ? t('tui.header.running') : '';
      return {
        key,
        lines: [title, t('tui.dialog.form_keys')],
        notes: [error, sending, field?.hint ?? ''].filter(Boolean),
        input: inputOf(label, inputs[at] ?? textInput(), field?.secret),
      };
    }
    case 'choice': {
      const { options, at, on } = overlay;
      const option = options[at];
      const state = t(option && on.has(option.key) ? 'tui.words.yes' : 'tui.words.no');
      return {
        key,
        lines: [title, t('tui.dialog.choice_keys')],
        notes: [`${at + 1}/${options.length} ${option?.label ?? ''}: ${state}`],
      };
    }
    case 'text':
      return { key, lines: [title, ...overlay.lines], notes: [t('tui.dialog.page_keys')] };
  }
}

function inputOf(label: string, input: TextInput, secret = false): InputText {
  const text = secret ? '*'.repeat(input.chars.length) : textOf(input);
  return {
    label: asSentence(label).replace(/[:：.。]$/u, ''),
    text: text.replace(/\p{Cc}/gu, ' '),
  };
}
