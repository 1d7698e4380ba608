import { Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PICKER_PAGE } from './useCandidates.ts';

interface TurnButtonsProps {
  readonly page: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
}

/** The pages have a fixed size, so two buttons suffice. */
export function TurnButtons({ page, total, onPage }: TurnButtonsProps) {
  const { t } = useTranslation();
  const pages = Math.max(1, Math.ceil(total / PICKER_PAGE));
  return (
    <Group justify="space-between" gap="xs">
      <Button
        size="compact-sm"
        variant="default"
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      >
        {t('part.pager.previous')}
      </Button>
      <Text size="xs" c="dimmed" aria-live="polite">
        {page} / {pages}
      </Text>
      <Button
        size="compact-sm"
        variant="default"
        disabled={page >= pages}
        onClick={() => onPage(page + 1)}
      >
        {t('part.pager.next')}
      </Button>
    </Group>
  );
}
