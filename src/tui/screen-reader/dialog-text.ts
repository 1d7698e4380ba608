/** Dialogs, forms and the input line as screen-reader text. */
import { isCountTyped, type Overlay } from '../model/overlay.ts';
import { type TextInput, textInput, textOf } from '../model/text-input.ts';
import type { Runtime } from '../runtime.ts';
import { named } from '../screens/format.ts';
import type { Viewer } from '../screens/screen.ts';
import { asSentence, listed } from './item.ts';

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
    const sentences = (texts: readonly string[]) => texts.map((text) => asSentence(text, viewer.t));
    return { ...dialog, lines: sentences(dialog.lines), notes: sentences(dialog.notes) };
  }
  if (prompt === undefined) return undefined;
  const label = viewer.t(`tui.keys_short.${prompt.kind}`);
  return {
    key: prompt.kind,
    lines: [],
    notes: [],
    input: inputOf({ label, input: prompt.input }, viewer),
  };
}

function overlayDialog(overlay: Overlay, viewer: Viewer): DialogText {
  const { t } = viewer;
  const { kind, title } = overlay;
  const key = `${kind} ${title}`;
  switch (overlay.kind) {
    case 'confirm': {
      const { body, verb, count, input, isOnVerb } = overlay;
      const [chosen, other] = isOnVerb
        ? [verb, t('tui.dialog.cancel')]
        : [t('tui.dialog.cancel'), verb];
      const isReady = !isOnVerb || isCountTyped(overlay);
      const buttons = [
        { name: isReady ? 'Enter' : '-', value: chosen },
        { name: 'Tab', value: other },
      ].map((button) => named(button, t));
      const typing = count === undefined ? undefined : t('tui.dialog.type_count', { count });
      return {
        key,
        lines: [title, ...body],
        notes: [listed(buttons, t)],
        ...(typing !== undefined && { input: inputOf({ label: typing, input }, viewer) }),
      };
    }
    case 'ask':
      return {
        key,
        lines: [title, t('tui.dialog.ask_keys')],
        notes: [],
        input: inputOf(overlay, viewer),
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
        input: inputOf({ label, input: inputs[at] ?? textInput(), secret: field?.secret }, viewer),
      };
    }
    case 'choice': {
      const { options, at, on } = overlay;
      const option = options[at];
      const state = t(option && on.has(option.key) ? 'tui.words.yes' : 'tui.words.no');
      return {
        key,
        lines: [title, t('tui.dialog.choice_keys')],
        notes: [
          named({ name: `${at + 1}/${options.length} ${option?.label ?? ''}`, value: state }, t),
        ],
      };
    }
    case 'text':
      return { key, lines: [title, ...overlay.lines], notes: [t('tui.dialog.page_keys')] };
  }
}

interface LabelledInput {
  readonly label: string;
  readonly input: TextInput;
  readonly secret?: boolean | undefined;
}

function inputOf({ label, input, secret = false }: LabelledInput, { t }: Viewer): InputText {
  const text = secret ? '*'.repeat(input.chars.length) : textOf(input);
  return {
    label: asSentence(label, t).replace(/[:：.。]$/u, ''),
    text: text.replace(/\p{Cc}/gu, ' '),
  };
}
