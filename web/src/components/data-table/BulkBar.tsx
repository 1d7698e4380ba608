import { ActionBar, Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

interface BulkBarProps {
  readonly count: number;
  readonly onClear: () => void;
  /** Offered while not all matching rows are selected. */
  readonly selectAll?: { readonly total: number; readonly onClick: () => void };
  /** Buttons, `size="xs"`. */
  readonly children: ReactNode;
}

/** Actions on the selected rows; floats at the bottom while any are selected. */
export function BulkBar({ count, onClear, selectAll, children }: BulkBarProps) {
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
      <Group gap="xs" wrap="wrap">
        <Text size="sm" fw={500} aria-live="polite">
          {t('part.bulk.count', { count })}
        </Text>
        {selectAll && selectAll.total > count && (
          <Button size="xs" variant="subtle" onClick={selectAll.onClick}>
            {t('part.bulk.all', { total: selectAll.total })}
          </Button>
        )}
        {children}
        <ActionBar.CloseButton aria-label={t('part.bulk.clear')} />
      </Group>
    </ActionBar>
  );
}
