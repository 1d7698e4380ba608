import { Stack, Table } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { isFormKey } from '../fields/field-texts.ts';
import { useSettings } from '../sections/settings-store.ts';

/** Options without a field: listed, but read-only. */
export function AdvancedPanel() {
  const { t } = useTranslation();
  const { stored } = useSettings();
  const rows = [...stored].filter(([key]) => !isFormKey(key));
  return (
    <Stack gap="sm">
      <Dimmed size="sm">{t('setting.advanced.hint')}</Dimmed>
      <Table fz="sm" layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('setting.audit.key')}</Table.Th>
            <Table.Th w="35%">{t('common.value')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(([key, value]) => (
            <Table.Tr key={key}>
              <Table.Td ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                {key}
              </Table.Td>
              <Table.Td ff="monospace">{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}
