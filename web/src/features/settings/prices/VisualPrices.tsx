import { Button, Group, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DataTable } from '../../../components/data-table/DataTable.tsx';
import { rowActions } from '../../../components/data-table/row-actions.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { SearchInput } from '../../../components/forms/SearchInput.tsx';
import { Empty } from '../../../components/layout/list-states.tsx';
import { useInnerList } from '../../../hooks/useList.ts';
import { priceKeys } from '../../../lib/api/query-keys.ts';
import { prices } from '../calls.ts';
import { useSettings } from '../sections/settings-store.ts';
import { PriceDialog } from './PriceDialog.tsx';
import { type PriceRow, priceColumns } from './price-columns.tsx';
import { type PriceEdit, shownPrice } from './price-edits.ts';
import { useSavePrices } from './useSavePrices.tsx';

const TYPING_MS = 300;

/** All effective prices as a table. Nothing is saved before Apply. */
export function VisualPrices() {
  const { t } = useTranslation();
  const [words, setWords] = useState('');
  const [q] = useDebouncedValue(words.trim(), TYPING_MS);
  const [open, setOpen] = useState<PriceRow | 'new'>();
  const { priceEdits: edits, setPriceEdits } = useSettings();
  const { saveEdits } = useSavePrices();
  const list = useInnerList(priceKeys.list, { q }, prices.list);
  const edit = (model: string, change: PriceEdit) =>
    setPriceEdits((now) => new Map(now).set(model, change));
  const discard = () => setPriceEdits(() => new Map());
  const rows = list.tableProps.rows && rowsOf(list.tableProps.rows, edits, q, list.page);
  const apply = async () => {
    if (await saveEdits(edits)) discard();
  };
  return (
    <Stack gap="sm">
      <Toolbar
        words={words}
        onWords={(next) => {
          setWords(next);
          list.setPage(1);
        }}
        count={edits.size}
        onAdd={() => setOpen('new')}
        onDiscard={discard}
        onApply={() => void apply()}
      />
      <DataTable<PriceRow>
        {...list.tableProps}
        rows={rows}
        id="model-price"
        label={t('setting.section.prices')}
        rowId={(row) => row.model}
        columns={priceColumns(t, edit)}
        mark={(row) => (row.isEdited ? 'fresh' : undefined)}
        actions={(row) =>
          rowActions(t, {
            edit: { label: t('setting.price.edit'), isPrimary: true, onClick: () => setOpen(row) },
          })
        }
        empty={<Empty title={t('setting.price.none')} />}
      />
      {open !== undefined && (
        <PriceDialog
          row={open === 'new' ? undefined : open}
          isTaken={async (model) =>
            edits.has(model) ||
            (await prices.get({ model })).source === 'override' ||
            (await isListed(model))
          }
          onClose={() => setOpen(undefined)}
          onEdit={edit}
        />
      )}
    </Stack>
  );
}

interface ToolbarProps {
  readonly words: string;
  readonly onWords: (words: string) => void;
  /** Number of pending edits. */
  readonly count: number;
  readonly onAdd: () => void;
  readonly onDiscard: () => void;
  readonly onApply: () => void;
}

function Toolbar({ words, onWords, count, onAdd, onDiscard, onApply }: ToolbarProps) {
  const { t } = useTranslation();
  return (
    <Group>
      <SearchInput
        flex="1 1 200px"
        maw={320}
        label={t('setting.price.search')}
        value={words}
        onChange={onWords}
      />
      <Group ml="auto">
        <SideButton icon={IconPlus} label={t('setting.price.add')} onClick={onAdd} />
        {count > 0 && <SideButton label={t('setting.price.discard')} onClick={onDiscard} />}
        <Button disabled={count === 0} onClick={onApply}>
          {t('setting.price.apply', { count })}
        </Button>
      </Group>
    </Group>
  );
}

async function isListed(model: string): Promise<boolean> {
  const { items } = await prices.list({ q: model, page_size: 100 });
  return items.some((one) => one.model === model);
}

/** The page's rows with the edits applied; new models come first on the first page. */
function rowsOf(
  rows: readonly Parameters<typeof rowOf>[0][],
  edits: ReadonlyMap<string, PriceEdit>,
  q: string,
  page: number,
): PriceRow[] {
  const known = new Set(rows.map(({ model }) => model));
  const added = [...edits].filter(
    ([model, { isNew }]) =>
      isNew && !known.has(model) && page === 1 && model.toLowerCase().includes(q.toLowerCase()),
  );
  return [
    ...added.map(([model, edit]) => newRow(model, edit)),
    ...rows.map((row) => rowOf(row, edits.get(row.model))),
  ];
}

function rowOf(row: Awaited<ReturnType<typeof prices.get>>, edit: PriceEdit | undefined): PriceRow {
  return {
    model: row.model,
    source: row.source,
    isEstimated: row.is_estimated,
    edit: edit ?? {},
    isEdited: edit !== undefined,
    ...shownPrice(row, edit),
  };
}

function newRow(model: string, edit: PriceEdit): PriceRow {
  return {
    model,
    source: 'unset',
    isEstimated: false,
    edit,
    isEdited: true,
    ...shownPrice(undefined, edit),
  };
}
