/** Dialogs, forms and pages of text, over the lower part of a screen. */
import { cell, cut, filled, type Line, line, spread, widthOf, wrapped } from '../model/line.ts';
import type { Ask, Choice, Confirm, Form, Overlay, TextPage } from '../model/overlay.ts';
import { isCounted } from '../model/overlay.ts';
import { type TextInput, textOf } from '../model/text-input.ts';
import type { Viewer } from '../screens/screen.ts';
import { padded } from './table.ts';

export interface Room {
  readonly width: number;
  readonly height: number;
}

/** As many lines as it needs, at most `height`. */
export function overlayLines(overlay: Overlay, room: Room, viewer: Viewer): readonly Line[] {
  switch (overlay.kind) {
    case 'confirm':
      return boxed(overlay.title, confirmLines(overlay, inner(room), viewer), room);
    case 'ask':
      return boxed(overlay.title, askLines(overlay, inner(room), viewer), room);
    case 'form':
      return boxed(overlay.title, formLines(overlay, inner(room), viewer), room);
    case 'choice':
      return boxed(overlay.title, choiceLines(overlay, inner(room), viewer), room);
    case 'text':
      return textLines(overlay, room, viewer);
  }
}

const FRAME = 4;

function inner({ width, height }: Room): Room {
  return { width: width - FRAME, height: height - 2 };
}

function boxed(title: string, lines: readonly Line[], { width, height }: Room): readonly Line[] {
  const top = cut([{ text: '┌─ ' }, { text: title, tone: 'strong' }, { text: ' ' }], width - 1);
  const rule = '─'.repeat(Math.max(0, width - 1 - widthOf(top)));
  const body = lines
    .slice(0, Math.max(0, height - 2))
    .map((each): Line => [{ text: '│ ' }, ...filled(each, width - FRAME), { text: ' │' }]);
  return [[...top, { text: `${rule}┐` }], ...body, line(`└${'─'.repeat(width - 2)}┘`)];
}

/** The answer buttons; Cancel is the one that Enter presses until the person walks to the other. */
function confirmLines(dialog: Confirm, { width, height }: Room, { t }: Viewer): readonly Line[] {
  const { body, verb, count, input, isOnVerb } = dialog;
  const text = body.flatMap((each) => wrapped(each, width));
  const room = Math.max(1, height - 1);
  const shown = text.slice(0, room).map((each) => line(each, toneOf(each)));
  if (text.length > room) shown[room - 1] = line('…', 'dim');
  const buttons: Line = [
    { text: ` ${t('tui.dialog.cancel')} `, inverse: !isOnVerb },
    { text: '   ' },
    { text: ` ${verb} `, inverse: isOnVerb, tone: isCounted(dialog) ? 'bad' : 'dim' },
  ];
  const typing: Line =
    count === undefined
      ? []
      : [{ text: `${t('tui.dialog.type_count', { count })} ` }, ...inputLine(input, 6)];
  return [...shown, spread(typing, buttons, width)];
}

/** Lines of a difference. */
function toneOf(text: string) {
  if (text.startsWith('+ ')) return 'good';
  return text.startsWith('- ') ? 'bad' : 'plain';
}

function askLines({ label, input, secret }: Ask, { width }: Room, { t }: Viewer): readonly Line[] {
  return [
    ...wrapped(label, width).map((each) => line(each, 'dim')),
    inputLine(input, width, secret),
    line(t('tui.dialog.ask_keys'), 'dim'),
  ];
}

const LABEL_CELLS = 16;

/** The field that is typed in stays in sight. */
function formLines(form: Form, { width, height }: Room, { t }: Viewer): readonly Line[] {
  const { fields, inputs, at, error, isSending } = form;
  const rows = fields.map((each, index): Line => {
    const isOpen = index === at;
    const input = inputs[index] ?? { chars: [], at: 0 };
    const label = {
      text: cell(`${isOpen ? '>' : ' '} ${each.label}`, LABEL_CELLS),
      tone: isOpen ? 'strong' : 'dim',
    } as const;
    const room = width - LABEL_CELLS;
    return [
      label,
      ...(isOpen ? inputLine(input, room, each.secret) : stillLine(input, room, each.secret)),
    ];
  });
  const hint = fields[at]?.hint;
  const below = [
    ...(hint === undefined ? [] : [line(hint, 'dim')]),
    ...(error === ''
      ? []
      : wrapped(error, width)
          .slice(0, 3)
          .map((each) => line(each, 'bad'))),
    line(t(isSending ? 'tui.header.running' : 'tui.dialog.form_keys'), 'dim'),
  ];
  const room = Math.max(1, height - below.length);
  const start = Math.min(Math.max(0, rows.length - room), Math.max(0, at - room + 1));
  return [...rows.slice(start, start + room), ...below];
}

function choiceLines(
  { options, on, at }: Choice,
  { height }: Room,
  { t }: Viewer,
): readonly Line[] {
  const room = Math.max(1, height - 1);
  const start = Math.min(Math.max(0, options.length - room), Math.max(0, at - room + 1));
  const rows = options.slice(start, start + room).map(({ key, label }, index): Line => {
    const isAt = start + index === at;
    return [{ text: `${isAt ? '>' : ' '} [${on.has(key) ? 'x' : ' '}] ${label}`, inverse: isAt }];
  });
  return [...rows, line(t('tui.dialog.choice_keys'), 'dim')];
}

function textLines(
  { title, lines, top }: TextPage,
  { width, height }: Room,
  { t }: Viewer,
): readonly Line[] {
  const room = height - 1;
  const end = Math.min(lines.length, top + room);
  const place = lines.length > room ? `${end}/${lines.length}  ` : '';
  const head = spread(
    [{ text: ` ${title}`, tone: 'strong' }],
    [{ text: `${place}${t('tui.dialog.page_keys')} `, tone: 'dim' }],
    width,
  );
  return padded(
    [head, ...lines.slice(top, end).map((each) => cut([{ text: ` ${each}` }], width))],
    height,
  );
}

/** The text around its cursor, in exactly `width` cells. */
export function inputLine(input: TextInput, width: number, secret = false): Line {
  const chars = secret ? input.chars.map(() => '•') : input.chars;
  const start = Math.max(0, input.at - Math.max(1, Math.floor(width / 2)));
  const before = chars.slice(start, input.at).join('');
  return filled(
    [
      { text: before },
      { text: chars[input.at] ?? ' ', inverse: true },
      { text: chars.slice(input.at + 1).join('') },
    ],
    width,
  );
}

function stillLine(input: TextInput, width: number, secret = false): Line {
  const text = secret ? '•'.repeat(input.chars.length) : textOf(input);
  return cut([{ text }], width);
}
