import { ActionIcon, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

interface HeaderIconButtonProps {
  readonly label: string;
  readonly isOff?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** An icon at the head of what is shown whole: to the next one, the last one, a copy of its link. */
export function HeaderIconButton({
  label,
  isOff = false,
  onClick,
  children,
}: HeaderIconButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon size={32} aria-label={label} disabled={isOff} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
