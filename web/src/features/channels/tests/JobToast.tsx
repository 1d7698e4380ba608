import { Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface ProgressProps {
  readonly text: string;
  /** Shows the results so far. */
  readonly onShow?: () => void;
  readonly onStop: () => void;
}

/** The content of the toast for a job over all channels. */
export function JobToast({ text, onShow, onStop }: ProgressProps) {
  const { t } = useTranslation();
  return (
    <Group gap="xs" justify="space-between" wrap="nowrap">
      <Text size="sm">{text}</Text>
      <Group gap={6} wrap="nowrap">
        {onShow && (
          <Button size="compact-xs" variant="default" onClick={onShow}>
            {t('channel.results.show')}
          </Button>
        )}
        <Button size="compact-xs" variant="default" onClick={onStop}>
          {t('common.stop')}
        </Button>
      </Group>
    </Group>
  );
}
