import { Checkbox, Group, Stack, Table } from '@mantine/core';
import type { TFunction } from 'i18next';
import { Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { SearchInput } from '../../../components/forms/SearchInput.tsx';
import { DialogFooter } from '../../../components/layout/DialogFooter.tsx';
import { OpenModal } from '../../../components/layout/OpenModal.tsx';
import { conditionText } from '../../../lib/pricing/condition-text.ts';
import classes from '../Settings.module.css';
import {
  chosenPrices,
  type SourceChange,
  type SourceChanges,
  type SourceModel,
  type SourceRow,
  sourceModels,
} from './source-rows.ts';

/** A dialog with thousands of rows would be slow; the filter finds the others. */
const MOST_MODELS = 60;

interface SourceDialogProps {
  readonly changes: SourceChanges;
  readonly isBusy: boolean;
  readonly onClose: () => void;
  readonly onTake: (prices: SourceChanges['items'][number]['price'][]) => void;
}

/** Shows what the prices of a source would change, and takes over the chosen rates. */
export function SourceDialog({ changes, isBusy, onClose, onTake }: SourceDialogProps) {
  const { t } = useTranslation();
  const models = sourceModels(changes.items);
  const all = models.flatMap(({ rows }) => rows.map(({ id }) => id));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(all));
  const [filter, setFilter] = useState('');
  const found = models.filter(({ model }) => model.toLowerCase().includes(filter.toLowerCase()));
  const choose = (ids: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen);
    for (const id of ids) {
      if (isChosen) next.add(id);
      else next.delete(id);
    }
    setChosen(next);
  };
  const foundIds = found.flatMap(({ rows }) => rows.map(({ id }) => id));
  return (
    <OpenModal onClose={onClose} size="lg" title={t('setting.preset.apply')}>
      <Stack gap="sm">
        <Dimmed>{t('setting.preset.from', { source: changes.source, date: changes.date })}</Dimmed>
        <Group justify="space-between" gap="sm">
          <Choice
            label={t('setting.preset.all')}
            ids={foundIds}
            chosen={chosen}
            onChoose={choose}
          />
          <SearchInput
            size="xs"
            label={t('setting.preset.filter')}
            value={filter}
            onChange={setFilter}
          />
        </Group>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable elements must be reachable by keyboard */}
        <div className={classes.scroll} style={{ maxHeight: 360 }} tabIndex={0}>
          <Table fz="xs">
            <Table.Tbody>
              {found.slice(0, MOST_MODELS).map((one) => (
                <ModelRows key={one.model} {...one} chosen={chosen} onChoose={choose} />
              ))}
            </Table.Tbody>
          </Table>
        </div>
        <Remarks changes={changes} unshown={Math.max(0, found.length - MOST_MODELS)} />
        <DialogFooter
          onClose={onClose}
          verb={t('setting.diff.verb', { count: chosen.size })}
          loading={isBusy}
          disabled={chosen.size === 0}
          onClick={() => onTake(chosenPrices(changes.items, chosen))}
        />
      </Stack>
    </OpenModal>
  );
}

interface Choosing {
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (ids: readonly string[], isChosen: boolean) => void;
}

/** One box for several rows. */
function Choice({
  label,
  ids,
  chosen,
  onChoose,
}: Choosing & { readonly label: string; readonly ids: readonly string[] }) {
  const count = ids.filter((id) => chosen.has(id)).length;
  return (
    <Checkbox
      size="xs"
      label={label}
      checked={ids.length > 0 && count === ids.length}
      indeterminate={count > 0 && count < ids.length}
      onChange={(event) => onChoose(ids, event.currentTarget.checked)}
    />
  );
}

function ModelRows({ model, origin, rows, ...choosing }: SourceModel & Choosing) {
  const { t } = useTranslation();
  return (
    <Fragment>
      <Table.Tr>
        <Table.Td colSpan={2}>
          <Choice label={model} ids={rows.map(({ id }) => id)} {...choosing} />
        </Table.Td>
        <Table.Td c="dimmed">
          {origin === '' ? t('setting.preset.isNew') : t('setting.preset.now', { origin })}
        </Table.Td>
      </Table.Tr>
      {rows.map((row) => (
        <RateRow key={row.id} {...row} {...choosing} />
      ))}
    </Fragment>
  );
}

function RateRow({ id, model, change, chosen, onChoose }: SourceRow & Choosing) {
  const { t } = useTranslation();
  const label = rateLabel(t, change);
  return (
    <Table.Tr>
      <Table.Td w={40} />
      <Table.Td>
        <Checkbox
          size="xs"
          label={label}
          aria-label={t('part.named', { name: model, value: label })}
          checked={chosen.has(id)}
          onChange={(event) => onChoose([id], event.currentTarget.checked)}
        />
      </Table.Td>
      <Table.Td ff="monospace" style={{ whiteSpace: 'nowrap' }}>
        {change.from ?? '-'} → {change.to ?? '-'}
      </Table.Td>
    </Table.Tr>
  );
}

function rateLabel(t: TFunction, { field, when }: SourceChange): string {
  const label = t(`rate.kind.${field}`);
  return when === undefined ? label : `${label} · ${conditionText(t, when)}`;
}

/** What the list has besides the rows. */
function Remarks({
  changes: { own, skipped },
  unshown,
}: Pick<SourceDialogProps, 'changes'> & { readonly unshown: number }) {
  const { t } = useTranslation();
  const left = skipped.reduce((sum, { count }) => sum + count, 0);
  const texts = [
    unshown > 0 && t('setting.preset.unshown', { count: unshown }),
    own > 0 && t('setting.preset.own', { count: own }),
    left > 0 && t('setting.preset.skipped', { count: left }),
  ];
  return texts.filter(Boolean).map((text) => <Dimmed key={String(text)}>{text}</Dimmed>);
}
