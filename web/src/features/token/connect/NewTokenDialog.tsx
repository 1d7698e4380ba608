import { Group, Modal, ScrollArea, Stack, Table, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { csvText } from '../../../components/charts/chart-data.ts';
import { CopyWideButton } from '../../../components/display/copy.tsx';
import { SecretText } from '../../../components/display/SecretText.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { saveText } from '../../../lib/browser/save-file.ts';
import { useIsPhone } from '../../../lib/display/screen.ts';
import type { Token } from '../calls.ts';
import { ConnectPanel } from './ConnectPanel.tsx';

interface MadeDialogProps {
  /** With whole keys; empty is closed. */
  readonly made: readonly Token[];
  readonly onClose: () => void;
}

export function NewTokensDialog({ made, onClose }: MadeDialogProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const [first] = made;
  return (
    <Modal
      opened={first !== undefined}
      onClose={onClose}
      fullScreen={isPhone}
      size={800}
      title={t('token.madeTitle', { count: made.length })}
    >
      {first && (
        <Stack gap="md">
          {made.length === 1 ? <OneKey token={first} /> : <Keys made={made} />}
          <ConnectPanel key={first.id} token={first} apiKey={first.key} />
        </Stack>
      )}
    </Modal>
  );
}

function OneKey({ token }: { readonly token: Token }) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs">
      <Text>{t('token.madeHint', { name: token.name })}</Text>
      <Group wrap="nowrap" justify="space-between">
        <SecretText secret={token.key} canCopy={false} />
        <CopyWideButton text={token.key} flex="none" data-autofocus>
          {t('token.copyKey')}
        </CopyWideButton>
      </Group>
    </Stack>
  );
}

function Keys({ made }: { readonly made: readonly Token[] }) {
  const { t } = useTranslation();
  const lines = made.map(({ key }) => key).join('\n');
  const rows = made.map(({ name, key }) => [name, key]);
  const file = `tokens-${made[0]?.name ?? ''}`;
  return (
    <Stack gap="xs">
      <Text>{t('token.madeManyHint', { count: made.length })}</Text>
      <ScrollArea.Autosize
        mah="min(220px, 32dvh)"
        viewportProps={{ tabIndex: 0, 'aria-label': t('token.keys') }}
      >
        <Table fz="xs" verticalSpacing={4} stickyHeader>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('common.name')}</Table.Th>
              <Table.Th>{t('token.key')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {made.map(({ id, name, key }) => (
              <Table.Tr key={id}>
                <Table.Td>{name}</Table.Td>
                <Table.Td>
                  <SecretText secret={key} label={t('token.copyKey')} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      <Group>
        <CopyWideButton text={lines} data-autofocus>
          {t('token.copyAll')}
        </CopyWideButton>
        <SideButton
          icon={IconDownload}
          label=".txt"
          onClick={() => saveText(`${file}.txt`, `${lines}\n`, 'text/plain')}
        />
        <SideButton
          icon={IconDownload}
          label=".csv"
          onClick={() => saveText(`${file}.csv`, csvText(['name', 'key'], rows), 'text/csv')}
        />
      </Group>
    </Stack>
  );
}
