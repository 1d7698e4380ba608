import { Stack, Table } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { Tag } from '../../../components/display/Tag.tsx';
import { useFieldTexts } from '../fields/field-texts.ts';
import classes from '../Settings.module.css';
import type { MapChange } from './draft.ts';

const MOST = 30;

interface DiffRow {
  /** The name of the changed value. */
  readonly label: string;
  readonly name: string;
  /** undefined if there was none. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The changes a save would make, row by row. */
function DiffTable({ rows }: { readonly rows: readonly DiffRow[] }) {
  const { t } = useTranslation();
  return (
    <Stack gap={4}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable elements must be reachable by keyboard */}
      <div className={classes.scroll} style={{ maxHeight: 320 }} tabIndex={0}>
        <Table fz="xs">
          <Table.Tbody>
            {rows.slice(0, MOST).map((row) => (
              <Table.Tr key={`${row.label} ${row.name}`}>
                <Table.Td>
                  <Kind row={row} />
                </Table.Td>
                <Table.Td c="dimmed" style={{ overflowWrap: 'normal' }}>
                  {row.label}
                </Table.Td>
                <Table.Td ff="monospace">{row.name}</Table.Td>
                <Table.Td ff="monospace" style={{ whiteSpace: 'nowrap' }}>
                  {[row.before, row.after].filter(Boolean).join(' → ')}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {rows.length > MOST && (
        <Dimmed>{t('setting.diff.more', { count: rows.length - MOST })}</Dimmed>
      )}
    </Stack>
  );
}

function Kind({ row: { before, after } }: { readonly row: DiffRow }) {
  const { t } = useTranslation();
  if (before === undefined) return <Tag tone="green">{t('setting.diff.added')}</Tag>;
  if (after === undefined) return <Tag tone="red">{t('setting.diff.removed')}</Tag>;
  return <Tag tone="blue">{t('setting.diff.changed')}</Tag>;
}

/** The changes a save would make in maps, entry by entry. */
export function MapDiff({ changes }: { readonly changes: readonly MapChange[] }) {
  const { name } = useFieldTexts();
  const rows = changes.map(({ option, ...change }) => ({ label: name(option), ...change }));
  return <DiffTable rows={rows} />;
}
