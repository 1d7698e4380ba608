import { TextInput } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { priceText } from '../../../../../src/domain/pricing/quota-text.ts';
import type { Column } from '../../../components/data-table/columns.ts';
import { Tag } from '../../../components/display/Tag.tsx';
import type { Tone } from '../../../components/display/tones.ts';
import type { Price } from '../calls.ts';
import { cellEdit, cellValue, type PriceEdit, type ShownPrice } from './price-edits.ts';

export interface PriceRow extends ShownPrice {
  readonly model: string;
  readonly source: Price['source'];
  readonly isEstimated: boolean;
  readonly edit: PriceEdit;
  readonly isEdited: boolean;
}

const CELLS = [
  { cell: 'price', key: 'fixed' },
  { cell: 'ratio', key: 'ratio' },
  { cell: 'completion', key: 'completion' },
] as const;

const SOURCE_TONES: Readonly<Record<Price['source'], Tone>> = {
  override: 'blue',
  synced: 'teal',
  catalog: 'grey',
  fallback: 'yellow',
  unset: 'red',
};

export function priceColumns(
  t: TFunction,
  onEdit: (model: string, edit: PriceEdit) => void,
): readonly Column<PriceRow>[] {
  return [
    { key: 'model', title: t('setting.price.model'), card: 'title', render: (row) => row.model },
    {
      key: 'source',
      title: t('setting.price.source'),
      width: 104,
      priority: 3,
      card: 'status',
      render: ({ source, isEstimated }) =>
        isEstimated ? (
          <Tag tone="yellow" hint={t('setting.price.estimatedHint')}>
            {t('setting.price.estimated')}
          </Tag>
        ) : (
          <Tag tone={SOURCE_TONES[source]}>{t(`setting.price.source.${source}`)}</Tag>
        ),
    },
    ...CELLS.map(
      ({ cell, key }): Column<PriceRow> => ({
        key: cell,
        title: t(`setting.price.${key}`),
        // Three of them and the model fit beside the pinned actions in a window of 1024 px.
        width: 108,
        render: (row) => (
          <Cell
            key={`${row.model} ${row[cell]}`}
            label={t(`setting.price.cell.${key}`, { model: row.model })}
            value={row[cell]}
            onValue={(value) => onEdit(row.model, cellEdit(row.edit, cell, value))}
          />
        ),
      }),
    ),
    {
      key: 'in',
      title: t('setting.price.usdIn'),
      width: 100,
      priority: 1,
      align: 'right',
      render: inputUsd,
    },
    {
      key: 'out',
      title: t('setting.price.usdOut'),
      width: 100,
      priority: 2,
      align: 'right',
      render: outputUsd,
    },
  ];
}

function inputUsd({ price, ratio }: PriceRow): string {
  return price !== null || ratio === null ? '-' : priceText(2 * ratio);
}

function outputUsd({ price, ratio, completion }: PriceRow): string {
  return price !== null || ratio === null || completion === null
    ? '-'
    : priceText(2 * ratio * completion);
}

interface CellProps {
  readonly label: string;
  readonly value: number | null;
  readonly onValue: (value: number | null) => void;
}

/** Applies on blur or Enter; invalid input stays and is marked. */
function Cell({ label, value, onValue }: CellProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(value === null ? '' : String(value));
  const typed = cellValue(text);
  const isWrong = typeof typed === 'string';
  const commit = () => {
    if (!isWrong && typed !== value) onValue(typed);
  };
  return (
    <TextInput
      size="xs"
      aria-label={label}
      inputMode="decimal"
      value={text}
      error={isWrong && t(`setting.price.${typed}`)}
      onChange={(event) => setText(event.currentTarget.value)}
      onClick={(event) => event.stopPropagation()}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  );
}
