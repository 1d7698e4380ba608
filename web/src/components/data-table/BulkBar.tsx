import { ActionBar, Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { RowAction } from './columns.ts';

interface BulkBarProps {
  readonly count: number;
  readonly onClear: () => void;
  /** Offered while not all matching rows are selected. */
  readonly selectAll?: { readonly total: number; readonly onClick: () => void };
  readonly actions?: readonly Omit<RowAction, 'isPrimary' | 'items' | 'refusal'>[];
  /** Buttons that need more than a click, `size="xs"`. */
  readonly children?: ReactNode;
}

/** Actions on the selected rows; floats at the bottom while any are selected. */
export function BulkBar({ count, onClear, selectAll, actions = [], children }: BulkBarProps) {
  const { t } = useTranslation();
  return (
    <ActionBar
      opened={count > 0}
      onClose={onClear}
      role="region"
      aria-label={t('part.bulk.label')}
      shadow="lg"
      maw="calc(100vw - 24px)"
    >
      <Group wrap="wrap">
        <Text fw={500} aria-live="polite">
          {t('part.bulk.count', { count })}
        </Text>
        {selectAll && selectAll.total > count && (
          <Button size="xs" variant="subtle" onClick={selectAll.onClick}>
            {t('part.bulk.all', { total: selectAll.total })}
          </Button>
        )}
        {actions.map(({ key, label, icon, isDanger, onClick }) => (
          <Button
            key={key}
            size="xs"
            {...(isDanger ? { color: 'danger' } : { variant: 'default' })}
            leftSection={icon}
            onClick={() => onClick?.()}
          >
            {label}
          </Button>
        ))}
        {children}
        <ActionBar.CloseButton aria-label={t('part.bulk.clear')} />
      </Group>
    </ActionBar>
  );
}
