import { Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { SideButton } from '../../../components/display/SideButton.tsx';

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
    <Group justify="space-between" wrap="nowrap">
      <Text>{text}</Text>
      <Group gap={6} wrap="nowrap">
        {onShow && (
          <SideButton size="compact-xs" label={t('channel.results.show')} onClick={onShow} />
        )}
        <SideButton size="compact-xs" label={t('common.stop')} onClick={onStop} />
      </Group>
    </Group>
  );
}
