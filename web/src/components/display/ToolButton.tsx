import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ComponentPropsWithRef } from 'react';

interface ToolButtonProps
  extends ActionIconProps,
    Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps> {
  /** The accessible name, and the tooltip. */
  readonly label: string;
  readonly icon: Icon;
  /** Pixels. */
  readonly iconSize?: number;
}

/** An icon button outside of tables. */
export function ToolButton({ label, icon: Icon, iconSize = 16, ...button }: ToolButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon size={32} aria-label={label} {...button}>
        <Icon size={iconSize} />
      </ActionIcon>
    </Tooltip>
  );
}
