/** Text in the dashboard's styles, on one line unless `wrap` is set. */
import { Box, Text, type TextProps, Transform, useIsScreenReaderEnabled } from 'ink';
import type { ReactNode } from 'react';
import type { Line, Tone } from '../model/line.ts';
import { type TextInput, textOf } from '../model/text-input.ts';

/** Only the terminal's sixteen colours, so that the user's theme applies. */
const STYLES: Readonly<Record<Tone, TextProps>> = {
  plain: {},
  dim: { dimColor: true },
  strong: { bold: true },
  good: { color: 'green' },
  warn: { color: 'yellow' },
  bad: { color: 'red' },
  info: { color: 'cyan' },
};

interface Props extends Pick<TextProps, 'wrap' | 'aria-label' | 'aria-hidden'> {
  readonly tone?: Tone | undefined;
  readonly children: ReactNode;
}

export function Toned({ tone = 'plain', wrap = 'truncate', ...text }: Props) {
  return <Text wrap={wrap} {...STYLES[tone]} {...text} />;
}

/** Inverted text inside a line. Kept with NO_COLOR, since it may be the only sign of the cursor. */
export function Inverse({ children }: { readonly children: string }) {
  const spoken = children.trim();
  if (useIsScreenReaderEnabled())
    return <Text>{spoken.startsWith('>') ? spoken : `> ${spoken}`}</Text>;
  return <Transform transform={(text) => `\u001B[7m${text}\u001B[27m`}>{children}</Transform>;
}

export function Spans({ line, wrap }: { readonly line: Line; readonly wrap?: TextProps['wrap'] }) {
  return (
    <Toned wrap={wrap}>
      {line.map(({ text, tone }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: spans are identified by position.
        <Toned key={index} tone={tone}>
          {text}
        </Toned>
      ))}
    </Toned>
  );
}

interface FixedProps {
  readonly tone?: Tone;
  readonly children: ReactNode;
}

/** Does not shrink; with a tone it is text. */
export function Fixed({ tone, children }: FixedProps) {
  return <Box flexShrink={0}>{tone ? <Toned tone={tone}>{children}</Toned> : children}</Box>;
}

interface InputProps {
  readonly input: TextInput;
  readonly secret?: boolean;
}

/** A text input that keeps its cursor visible: the end is cut off first, then the beginning. */
export function Input({ input, secret = false }: InputProps) {
  const chars = secret ? input.chars.map(() => '•') : input.chars;
  return (
    <Box flexGrow={1} overflow="hidden" aria-label={chars.join('') || ' '}>
      <Text wrap="truncate-start">{chars.slice(0, input.at).join('')}</Text>
      <Fixed>
        <Text>
          <Inverse>{chars[input.at] ?? ' '}</Inverse>
        </Text>
      </Fixed>
      <Box flexGrow={1} flexBasis={0}>
        <Text wrap="truncate">{chars.slice(input.at + 1).join('')}</Text>
      </Box>
    </Box>
  );
}

export function inputText(input: TextInput, secret = false): string {
  return secret ? '•'.repeat(input.chars.length) : textOf(input);
}
