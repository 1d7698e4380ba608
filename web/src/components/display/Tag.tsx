import { Tooltip } from '@mantine/core';
import type { MouseEventHandler, ReactNode } from 'react';
import classes from './Tag.module.css';
import { type Tone, toneStyle } from './tones.ts';

interface TagProps {
  readonly tone?: Tone;
  /** Before the text, if the tag shows a state. */
  readonly shape?: 'dot' | 'slash' | 'warning' | undefined;
  readonly icon?: ReactNode;
  /** Details, on hover. */
  readonly hint?: ReactNode;
  readonly mono?: boolean;
  /** The full text, if it may be truncated. */
  readonly title?: string | undefined;
  readonly onClick?: MouseEventHandler;
  readonly children: ReactNode;
}

/**
 * A tinted badge, used for every coloured pill of the console. A single element, because tables
 * have a thousand of them.
 */
export function Tag({
  tone = 'grey',
  shape,
  icon,
  hint,
  mono,
  title,
  onClick,
  children,
}: TagProps) {
  const props = {
    className: mono ? `${classes.tag} ${classes.mono}` : classes.tag,
    style: toneStyle(tone),
    title,
    'data-shape': shape,
    'data-hint': typeof hint === 'string' ? hint : undefined,
  };
  const content = icon ? (
    <span className={classes.withIcon}>
      {icon}
      {children}
    </span>
  ) : (
    children
  );
  const badge = onClick ? (
    <button type="button" onClick={onClick} {...props}>
      {content}
    </button>
  ) : (
    <span tabIndex={hint === undefined ? undefined : 0} {...props}>
      {content}
    </span>
  );
  if (hint === undefined || typeof hint === 'string') return badge;
  return (
    <Tooltip label={hint} maw={360}>
      {badge}
    </Tooltip>
  );
}
