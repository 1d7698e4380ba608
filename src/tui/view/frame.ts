/** A whole frame: every line of the terminal save the last, which stays empty. */
import { BLANK, cut, filled, type Line, line, type Span, spread, widthOf } from '../model/line.ts';
import { isTooSmall, listHeight, SMALLEST } from '../model/state.ts';
import type { Runtime } from '../runtime.ts';
import { dashboardLines } from './dashboard.ts';
import { headerLine, headingLine, tabsLine } from './header.ts';
import { inputLine, overlayLines } from './overlay.ts';
import { keyLabel } from './pages.ts';
import { detailLines, padded, tableLines } from './table.ts';

/** Beside the list there is room for its detail from here on. */
const WIDE_ENOUGH = 100;
/** And from here on also where the rows of the list are long. */
const VERY_WIDE = 140;

/** `rows - 1` lines: at the full height this Ink clears the terminal for every frame. */
export function frameLines(runtime: Runtime): readonly Line[] {
  const { state, viewer } = runtime;
  const { columns: width, rows } = state;
  if (isTooSmall(state)) return tooSmall(runtime);
  const body = bodyLines(runtime, width, listHeight(state) + 2);
  const { overlay } = state;
  const over = overlay && overlayLines(overlay, { width, height: body.length }, viewer);
  const shown = over === undefined ? body : [...body.slice(0, body.length - over.length), ...over];
  const lines = [headerLine(runtime), tabsLine(runtime), ...shown, bottomLine(runtime)];
  return padded(
    lines.map((each) => cut(each, width)),
    rows - 1,
  );
}

function tooSmall({ state, viewer }: Runtime): readonly Line[] {
  const { columns, rows } = state;
  const need = `${SMALLEST.columns}x${SMALLEST.rows}`;
  const text = viewer.t('tui.say.too_small', { size: `${columns}x${rows}`, need });
  return padded([cut(line(text, 'warn'), columns)], Math.max(1, rows - 1));
}

/** Heading, and list and detail as the width allows. */
function bodyLines(runtime: Runtime, width: number, height: number): readonly Line[] {
  const open = runtime.opened();
  if (open === undefined) return dashboardLines(runtime, width, height);
  const { screen, list } = open;
  const { state, viewer } = runtime;
  const wasRead = state.reads[screen.name].atMs > 0;
  const room = height - 1;
  const table = (size: { width: number; height: number }) =>
    tableLines(screen, list, size, viewer, wasRead);
  const heading = headingLine(runtime);
  if (!state.isDetailOpen) return [heading, ...table({ width, height: room })];
  const isBeside = width >= (screen.below ? VERY_WIDE : WIDE_ENOUGH);
  if (isBeside) {
    const pane = Math.floor((width * state.paneShare) / 100);
    const left = table({ width: width - pane - 2, height: room });
    const right = detailLines(screen, list, { width: pane, height: room });
    return [heading, ...joined(left, right, width - pane - 2)];
  }
  if (screen.below && width >= WIDE_ENOUGH) {
    const detail = Math.min(Math.floor(room / 2), 12);
    return [
      heading,
      ...table({ width, height: room - detail - 1 }),
      line('─'.repeat(width), 'dim'),
      ...detailLines(screen, list, { width, height: detail }),
    ];
  }
  return [heading, ...detailLines(screen, list, { width, height: room })];
}

function joined(left: readonly Line[], right: readonly Line[], width: number): readonly Line[] {
  return left.map((each, index) => [
    ...filled(each, width),
    { text: '│ ', tone: 'dim' },
    ...(right[index] ?? BLANK),
  ]);
}

/** What is typed, else what was just said, else what can be pressed. */
function bottomLine(runtime: Runtime): Line {
  const { state, viewer } = runtime;
  const { prompt, flash, columns, running } = state;
  if (prompt !== undefined) {
    const mark = prompt.kind === 'filter' ? '/' : ':';
    return [{ text: ` ${mark}`, tone: 'strong' }, ...inputLine(prompt.input, columns - 2)];
  }
  if (flash !== undefined) return [{ text: ` ${flash.text}`, tone: flash.tone }];
  const job =
    running === 0 ? [] : [{ text: ` ${viewer.t('tui.header.running')}`, tone: 'info' } as const];
  return [...job, ...keysLine(runtime)];
}

/** As many keys as there is room for; `?` shows all. */
function keysLine(runtime: Runtime): Line {
  const { viewer, state } = runtime;
  const { t } = viewer;
  const own = runtime.actions().map(({ key, name }) => [keyLabel(key), t(`tui.keys.${name}`)]);
  const general = (['/ filter', ': command', 'p pause', 'm messages', 'q quit'] as const).map(
    (each) => {
      const [key = '', name = ''] = each.split(' ');
      return [key, t(`tui.keys_short.${name}`)];
    },
  );
  const hints = runtime.opened() === undefined ? general.slice(1) : [...own, ...general];
  const line: Span[] = [];
  for (const [key = '', text = ''] of hints) {
    const next: Span[] = [
      { text: ` ${key}`, tone: 'strong' },
      { text: ` ${text} `, tone: 'dim' },
    ];
    if (widthOf([...line, ...next]) > state.columns - 8) break;
    line.push(...next);
  }
  return spread(line, [{ text: `? ${t('tui.keys_short.keys')} `, tone: 'dim' }], state.columns);
}
