import type { ComponentProps, ReactNode } from 'react';
import {
  CHANNEL_STATUS,
  statusWord,
  TOKEN_STATUS,
  USER_STATUS,
} from '../../../../src/domain/statuses.ts';
import { useCellText } from '../../lib/text/cell-text.ts';
import { Tag } from './Tag.tsx';
import type { Tone } from './tones.ts';

/** A state is shown by its text and a shape; colour only repeats it. */
type Shape = 'dot' | 'slash' | 'warning';

const LOOKS: Record<string, readonly [Tone, Shape]> = {
  enabled: ['green', 'dot'],
  disabled: ['red', 'slash'],
  banned: ['red', 'slash'],
  auto_disabled: ['yellow', 'warning'],
  expired: ['yellow', 'warning'],
  locked: ['yellow', 'warning'],
  exhausted: ['grey', 'slash'],
  unknown: ['grey', 'warning'],
};

const TABLES = {
  user: USER_STATUS,
  channel: CHANNEL_STATUS,
  token: TOKEN_STATUS,
} as const;

interface StatusBadgeProps {
  readonly of: keyof typeof TABLES;
  readonly status: number;
  /** The reason and the time. */
  readonly hint?: ReactNode;
  /** Replaces the status text, e.g. "limited models". */
  readonly children?: ReactNode;
}

/** The stored status of a user, channel or token; unknown values read as "unknown". */
export function StatusBadge({ of, status, hint, children }: StatusBadgeProps) {
  const t = useCellText();
  const [tone, shape] = LOOKS[wordOf(of, status)] ?? (['grey', 'warning'] as const);
  return (
    <StateTag tone={tone} shape={shape} hint={hint}>
      {children ?? t(statusKey(of, status))}
    </StateTag>
  );
}

type WordKey =
  | `status.user.${keyof typeof USER_STATUS}`
  | `status.channel.${keyof typeof CHANNEL_STATUS}`
  | `status.token.${keyof typeof TOKEN_STATUS}`
  | 'status.unknown';

function wordOf(of: keyof typeof TABLES, status: number): string {
  return statusWord<string>(TABLES[of], status);
}

/** The key of the text of a stored status. */
export function statusKey(of: keyof typeof TABLES, status: number): WordKey {
  const word = wordOf(of, status);
  return word === 'unknown' ? 'status.unknown' : (`status.${of}.${word}` as WordKey); // a word of the table named by `of`
}

/** Any other state: its text, a shape and a tone. */
export function StateTag(tag: ComponentProps<typeof Tag>) {
  return <Tag shape="dot" {...tag} />;
}
