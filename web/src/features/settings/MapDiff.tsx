import { Stack, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Tag } from '../../parts/Tag.tsx';
import type { MapChange } from './draft.ts';
import { useFieldTexts } from './field-texts.ts';
import classes from './Settings.module.css';

const MOST = 30;

/** What a save would change in maps, entry by entry. */
export function MapDiff({ changes }: { readonly changes: readonly MapChange[] }) {
  const { t } = useTranslation();
  const { name } = useFieldTexts();
  return (
    <Stack gap={4}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <div className={classes.scroll} style={{ maxHeight: 320 }} tabIndex={0}>
        <Table fz="xs">
          <Table.Tbody>
            {changes.slice(0, MOST).map((change) => (
              <Table.Tr key={`${change.option} ${change.name}`}>
                <Table.Td>
                  <Kind change={change} />
                </Table.Td>
                <Table.Td c="dimmed">{name(change.option)}</Table.Td>
                <Table.Td ff="monospace">{change.name}</Table.Td>
                <Table.Td ff="monospace">
                  {[change.before, change.after].filter(Boolean).join(' → ')}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {changes.length > MOST && (
        <Text size="xs" c="dimmed">
          {t('setting.diff.more', { count: changes.length - MOST })}
        </Text>
      )}
    </Stack>
  );
}

function Kind({ change: { before, after } }: { readonly change: MapChange }) {
  const { t } = useTranslation();
  if (before === undefined) return <Tag tone="green">{t('setting.diff.added')}</Tag>;
  if (after === undefined) return <Tag tone="red">{t('setting.diff.removed')}</Tag>;
  return <Tag tone="blue">{t('setting.diff.changed')}</Tag>;
}
