import type { ComponentProps, ReactNode } from 'react';
import classes from '../data-table/cells.module.css';

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'type' | 'className' | 'style'> {
  /** Accessible name; also the tooltip unless `hint` is set. */
  readonly label: string;
  readonly hint?: string | undefined;
  /** Pixels; 28 by default. */
  readonly size?: number;
  readonly tone?: 'red' | 'green' | undefined;
  readonly children: ReactNode;
}

/** A subtle icon button, cheap enough for every row of a table. */
export function IconButton({ label, hint = label, size, tone, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      className={classes.button}
      aria-label={label}
      data-hint={hint}
      data-tone={tone}
      data-disabled={rest.disabled || rest['aria-disabled'] ? true : undefined}
      style={
        size === undefined ? undefined : ({ '--button-size': `${size}px` } as React.CSSProperties)
      }
      {...rest}
    />
  );
}
