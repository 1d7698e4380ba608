import { Group, Modal, ScrollArea, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { StateTag } from '../../parts/StatusBadge.tsx';

export interface ChannelResult {
  readonly id: number;
  readonly name: string;
  readonly isOk: boolean;
  /** The time, the balance, or what went wrong. */
  readonly text: string;
}

export interface ResultsPanel {
  readonly results: readonly ChannelResult[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** What a job over all channels found, failures first. */
export function ResultsDialog({
  title,
  results,
  isOpen,
  onClose,
}: ResultsPanel & { readonly title: string }) {
  const { t } = useTranslation();
  const ok = results.filter(({ isOk }) => isOk).length;
  const sorted = [...results].sort((a, b) => Number(a.isOk) - Number(b.isOk));
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      size="lg"
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t('channel.results.summary', { ok, failed: results.length - ok })}
        </Text>
        <ScrollArea.Autosize mah="60dvh" tabIndex={0} aria-label={title}>
          <Stack gap={6}>
            {sorted.map(({ id, name, isOk, text }, index) => (
              <Group key={`${id} ${index}`} gap="xs" wrap="nowrap" align="flex-start">
                <StateTag tone={isOk ? 'green' : 'red'} shape={isOk ? 'dot' : 'warning'}>
                  {t(isOk ? 'channel.results.ok' : 'channel.results.failed')}
                </StateTag>
                <Text size="sm" fw={500} w={160} flex="none" truncate title={name}>
                  {name}
                </Text>
                <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                  {text}
                </Text>
              </Group>
            ))}
          </Stack>
        </ScrollArea.Autosize>
      </Stack>
    </Modal>
  );
}
