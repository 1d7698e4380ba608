import { Kbd, Table } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { OpenModal } from '../../components/layout/OpenModal.tsx';
import { useIsAdmin } from '../../lib/session/session.ts';
import { useNavigationGroups } from '../routing/navigation.ts';

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const jumps = useNavigationGroups(useIsAdmin())
    .flatMap(({ items }) => items)
    .flatMap(({ jump, name }) => (jump ? [{ keys: ['g', jump], text: t(`nav.${name}`) }] : []));
  const keys = [
    { keys: ['Ctrl', 'K'], text: t('shell.keys.search') },
    { keys: ['/'], text: t('shell.keys.pageSearch') },
    { keys: ['r'], text: t('shell.keys.refresh') },
    { keys: ['j', 'k'], text: t('shell.keys.record') },
    { keys: ['Esc'], text: t('shell.keys.close') },
    ...jumps,
    { keys: ['?'], text: t('shell.keys.title') },
  ];
  return (
    <OpenModal onClose={onClose} title={t('shell.keys.title')}>
      <Table>
        <Table.Tbody>
          {keys.map(({ keys: combination, text }) => (
            <Table.Tr key={text}>
              <Table.Td w={120}>
                {combination.map((key) => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{text}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </OpenModal>
  );
}
