import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DataTable } from '../../../components/data-table/DataTable.tsx';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { Form } from '../../../components/forms/Form.tsx';
import { SearchInput } from '../../../components/forms/SearchInput.tsx';
import { DialogFooter } from '../../../components/layout/DialogFooter.tsx';
import { Empty, LoadFailed } from '../../../components/layout/list-states.tsx';
import { OpenModal } from '../../../components/layout/OpenModal.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { priceKeys } from '../../../lib/api/query-keys.ts';
import { prices } from '../calls.ts';
import { cellValue, type PriceEdit } from './price-edits.ts';
import { useSavePrices } from './useSavePrices.tsx';

/** Enabled models without a price. */
export function UnsetPrices() {
  const { t } = useTranslation();
  const [q, setQ] = useState('');
  const [paging, setPaging] = useState({ page: 1, pageSize: 10 });
  const [chosen, setChosen] = useState<ReadonlySet<string | number>>(new Set());
  const [isOpen, setOpen] = useState(false);
  const query = useQuery({
    queryKey: priceKeys.part('unpriced'),
    queryFn: ({ signal }) => prices.unpriced({}, { signal }),
  });
  if (query.error && query.data === undefined)
    return (
      <LoadFailed
        error={query.error}
        title={t('setting.price.unset.failed')}
        onRetry={() => query.refetch()}
      />
    );
  const models = query.data?.filter((model) => model.toLowerCase().includes(q.toLowerCase()));
  const total = models?.length ?? 0;
  // Rows leave the list when their price is set.
  const page = Math.min(paging.page, Math.max(1, Math.ceil(total / paging.pageSize)));
  const start = (page - 1) * paging.pageSize;
  const open = () =>
    chosen.size === 0 ? toast.error(t('setting.price.unset.first')) : setOpen(true);
  return (
    <Stack gap="sm">
      <Dimmed size="sm">{t('setting.price.unset.hint')}</Dimmed>
      <Group>
        <SearchInput
          flex="1 1 200px"
          maw={320}
          label={t('setting.price.search')}
          value={q}
          onChange={(typed) => {
            setQ(typed);
            setPaging((now) => ({ ...now, page: 1 }));
          }}
        />
        <Button ml="auto" onClick={open}>
          {t('setting.price.unset.batch')}
        </Button>
      </Group>
      <DataTable
        id="unset-price"
        label={t('setting.price.tab.unset')}
        rows={models?.slice(start, start + paging.pageSize).map((model) => ({ model }))}
        rowId={({ model }) => model}
        columns={[
          { key: 'model', title: t('setting.price.model'), card: 'title', render: modelName },
        ]}
        selected={chosen}
        onSelect={setChosen}
        paging={{
          page,
          pageSize: paging.pageSize,
          total,
          onPage: (page) => setPaging((now) => ({ ...now, page })),
          onPageSize: (pageSize) => setPaging({ page: 1, pageSize }),
        }}
        empty={<Empty title={t('setting.price.unset.none')} />}
      />
      {isOpen && (
        <BatchDialog
          models={[...chosen].map(String)}
          onClose={() => setOpen(false)}
          onDone={() => setChosen(new Set())}
        />
      )}
    </Stack>
  );
}

function modelName({ model }: { readonly model: string }): string {
  return model;
}

const WHAT = ['price', 'ratio', 'completion', 'both'] as const;
type What = (typeof WHAT)[number];

interface BatchProps {
  readonly models: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function BatchDialog({ models, onClose, onDone }: BatchProps) {
  const { t } = useTranslation();
  const [what, setWhat] = useState<What>('ratio');
  const [first, setFirst] = useState('');
  const [second, setSecond] = useState('');
  const { saveEdits } = useSavePrices();
  const submit = async () => {
    const edit = batchEdit(what, first, second);
    if (typeof edit === 'string') return toast.error(t(`setting.price.${edit}`));
    onClose();
    if (await saveEdits(new Map(models.map((model) => [model, edit])))) {
      toast.success(t('setting.price.unset.done', { count: models.length }));
      onDone();
    }
  };
  return (
    <OpenModal onClose={onClose} title={t('setting.price.unset.title', { count: models.length })}>
      <Form onSubmit={submit}>
        <Stack gap="md">
          <Select
            label={t('setting.price.unset.what')}
            data={WHAT.map((value) => ({ value, label: t(`setting.price.unset.what.${value}`) }))}
            value={what}
            onChange={(next) => next !== null && setWhat(next as What)} // one of the values above
          />
          <TextInput
            label={t(`setting.price.unset.what.${what === 'both' ? 'ratio' : what}`)}
            inputMode="decimal"
            data-autofocus
            value={first}
            onChange={(event) => setFirst(event.currentTarget.value)}
          />
          {what === 'both' && (
            <TextInput
              label={t('setting.price.unset.what.completion')}
              inputMode="decimal"
              value={second}
              onChange={(event) => setSecond(event.currentTarget.value)}
            />
          )}
          <DialogFooter onClose={onClose} verb={t('setting.price.confirm')} />
        </Stack>
      </Form>
    </OpenModal>
  );
}

/** Every value is required and must be a number. */
function batchEdit(
  what: What,
  first: string,
  second: string,
): PriceEdit | 'notNumber' | 'negative' {
  const [one, two] = [cellValue(first), cellValue(second)];
  if (typeof one === 'string') return one;
  if (one === null) return 'notNumber';
  if (what === 'price') return { price: one, ratio: null, completion: null };
  if (what === 'completion') return { price: null, completion: one };
  if (what === 'ratio') return { price: null, ratio: one };
  if (typeof two === 'string') return two;
  return two === null ? 'notNumber' : { price: null, ratio: one, completion: two };
}
