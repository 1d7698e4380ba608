/** Dialogs, forms and text pages, drawn over the lower part of a screen. */
import { Box, useIsScreenReaderEnabled } from 'ink';
import type { ReactNode } from 'react';
import { type Tone, wrapped } from '../model/line.ts';
import {
  type Confirm,
  type Form,
  isCountTyped,
  type MenuChoice,
  type Overlay,
  type TextPage,
} from '../model/overlay.ts';
import { textInput } from '../model/text-input.ts';
import type { Viewer } from '../screens/screen.ts';
import { Fixed, Input, Inverse, inputText, Toned } from './text.tsx';

/** Border and padding on both sides. */
const FRAME_COLUMNS = 4;
const FRAME_ROWS = 2;

interface Props<Shown> {
  readonly overlay: Shown;
  readonly width: number;
  /** Maximum number of rows. */
  readonly height: number;
  readonly viewer: Viewer;
}

export function Dialog({ overlay, width, height, viewer }: Props<Overlay>) {
  const isRead = useIsScreenReaderEnabled();
  if (overlay.kind === 'text') return <PageDialog {...{ overlay, width, height, viewer }} />;
  const inner = { width: width - FRAME_COLUMNS, height: height - FRAME_ROWS, viewer };
  return (
    <Box flexDirection="column" flexShrink={0}>
      {isRead && <Toned>{overlay.title}</Toned>}
      <Box borderStyle="single" paddingX={1} flexDirection="column">
        <DialogBody overlay={overlay} {...inner} />
      </Box>
      <Box position="absolute" width={width} paddingX={2} aria-hidden>
        <Toned tone="strong">{` ${overlay.title} `}</Toned>
      </Box>
    </Box>
  );
}

function DialogBody({ overlay, ...inner }: Props<Exclude<Overlay, TextPage>>) {
  switch (overlay.kind) {
    case 'confirm':
      return <ConfirmBody overlay={overlay} {...inner} />;
    case 'form':
      return <FormBody overlay={overlay} {...inner} />;
    case 'choice':
      return <ChoiceBody overlay={overlay} {...inner} />;
  }
}

/** Cancel is the default button. */
function ConfirmBody({ overlay, width, height, viewer: { t } }: Props<Confirm>) {
  const { body, verb, count, input, isOnVerb } = overlay;
  const lines = body.flatMap((text) => wrapped(text, width));
  const rows = height - 1;
  const shown = lines.length > rows ? [...lines.slice(0, rows - 1), '…'] : lines;
  return (
    <>
      <Lines lines={shown} toneOf={differenceTone} />
      <Box justifyContent="space-between">
        <Box columnGap={1}>
          {count !== undefined && (
            <>
              <Toned tone={isOnVerb && !isCountTyped(overlay) ? 'warn' : 'plain'}>
                {t('tui.dialog.type_count', { count })}
              </Toned>
              <Input input={input} />
            </>
          )}
        </Box>
        <Box columnGap={3} flexShrink={0}>
          <Button isChosen={!isOnVerb}>{t('tui.dialog.cancel')}</Button>
          <Button isChosen={isOnVerb} tone={isCountTyped(overlay) ? 'bad' : 'dim'}>
            {verb}
          </Button>
        </Box>
      </Box>
    </>
  );
}

function Button(props: { isChosen: boolean; tone?: Tone; children: string }) {
  const { isChosen, tone, children } = props;
  const text = ` ${children} `;
  return (
    <Toned tone={isChosen ? 'plain' : tone}>{isChosen ? <Inverse>{text}</Inverse> : text}</Toned>
  );
}

function differenceTone(text: string): Tone {
  if (text.startsWith('+ ')) return 'good';
  return text.startsWith('- ') ? 'bad' : 'plain';
}

const LABEL_CELLS = 16;
const LABEL_MARGIN = 2;
const TEXT_LINES = 3;

function linesOf(text = '', width: number): readonly string[] {
  return text === '' ? [] : wrapped(text, width).slice(0, TEXT_LINES);
}

function FormBody({ overlay, width, height, viewer: { t } }: Props<Form>) {
  const { fields, inputs, at, error, isSending } = overlay;
  const hints = linesOf(fields[at]?.hint, width);
  const errors = linesOf(error, width);
  const isSingle = fields.length === 1;
  const keys = isSending ? 'header.running' : `dialog.${isSingle ? 'ask' : 'form'}_keys`;
  const below = errors.length + hints.length + 1;
  return (
    <>
      <Scrolled items={fields} at={at} height={height - below}>
        {({ name, label, secret }, index) => {
          const isOpen = index === at;
          const input = inputs[index] ?? textInput();
          return (
            <Box key={name} height={1} flexShrink={0}>
              <Box width={isSingle ? LABEL_MARGIN : LABEL_CELLS} flexShrink={0}>
                <Toned tone={isOpen ? 'strong' : 'dim'}>{`${isOpen ? '>' : ' '} ${label}`}</Toned>
              </Box>
              {isOpen ? (
                <Input input={input} secret={secret ?? false} />
              ) : (
                <Toned>{inputText(input, secret)}</Toned>
              )}
            </Box>
          );
        }}
      </Scrolled>
      <Lines lines={hints} toneOf={() => 'dim'} />
      <Lines lines={errors} toneOf={() => 'bad'} />
      <Toned tone="dim">{t(`tui.${keys}`)}</Toned>
    </>
  );
}

function ChoiceBody({ overlay, height, viewer: { t } }: Props<MenuChoice>) {
  const { options, on, at } = overlay;
  return (
    <>
      <Scrolled items={options} at={at} height={height - 1}>
        {({ key, label }, index) => {
          const text = `${index === at ? '>' : ' '} [${on.has(key) ? 'x' : ' '}] ${label}`;
          return <Toned key={key}>{index === at ? <Inverse>{text}</Inverse> : text}</Toned>;
        }}
      </Scrolled>
      <Toned tone="dim">{t('tui.dialog.choice_keys')}</Toned>
    </>
  );
}

function PageDialog({ overlay, height, viewer: { t } }: Props<TextPage>) {
  const { title, lines, top } = overlay;
  const end = Math.min(lines.length, top + height - 1);
  const position = lines.length > height - 1 ? `${end}/${lines.length}  ` : '';
  return (
    <Box flexDirection="column" flexShrink={0} height={height} paddingX={1}>
      <Box justifyContent="space-between" columnGap={1}>
        <Toned tone="strong">{title}</Toned>
        <Fixed tone="dim">{position + t('tui.dialog.page_keys')}</Fixed>
      </Box>
      <Lines lines={lines.slice(top, end)} />
    </Box>
  );
}

interface LinesProps {
  readonly lines: readonly string[];
  readonly toneOf?: (text: string) => Tone;
}

function Lines({ lines, toneOf = () => 'plain' }: LinesProps) {
  return lines.map((text, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines are identified by position.
    <Toned key={index} tone={toneOf(text)}>
      {text || ' '}
    </Toned>
  ));
}

interface ScrolledProps<Item> {
  readonly items: readonly Item[];
  readonly at: number;
  readonly height: number;
  readonly children: (item: Item, index: number) => ReactNode;
}

/** As many items as fit, including the one at `at`. */
function Scrolled<Item>({ items, at, height, children }: ScrolledProps<Item>) {
  const rows = Math.max(1, height);
  const start = Math.min(Math.max(0, items.length - rows), Math.max(0, at - rows + 1));
  return items.slice(start, start + rows).map((item, index) => children(item, start + index));
}
