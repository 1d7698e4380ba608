import { Chip, Group } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface PicksProps<T> {
  /** The name of the input above. */
  readonly label: string;
  readonly picks: readonly T[];
  /** What the input has now. */
  readonly value: T | undefined;
  readonly text: (pick: T) => ReactNode;
  readonly onPick: (pick: T) => void;
  readonly isDisabled?: boolean | undefined;
}

/** Usual values of an input: one stop for the Tab key, and the arrow keys change the value. */
export function Picks<T extends string | number>(props: PicksProps<T>) {
  const { label, picks, value, text, onPick, isDisabled } = props;
  const name = useId();
  return (
    <Group gap={6} role="radiogroup" aria-label={label}>
      {picks.map((pick) => (
        <Chip
          key={pick}
          type="radio"
          name={name}
          size="xs"
          disabled={isDisabled}
          checked={pick === value}
          onChange={() => onPick(pick)}
        >
          {text(pick)}
        </Chip>
      ))}
    </Group>
  );
}
