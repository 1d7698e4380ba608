import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { CHANNEL } from '../../../../../src/domain/nouns/channel.ts';
import type { Column } from '../../../components/data-table/columns.ts';
import { Tag } from '../../../components/display/Tag.tsx';
import { channelTypeName, TypeTag } from '../../../components/display/tag-lists.tsx';
import { useCellText } from '../../../lib/text/cell-text.ts';
import type { Channel } from '../calls.ts';
import classes from './ChannelCells.module.css';
import { ChannelHealth } from './ChannelHealth.tsx';
import {
  ChannelName,
  ChannelStatus,
  GroupTags,
  ResponseTime,
  TagName,
  TagResponse,
  TagStatus,
  TagUsage,
  UsedAndLeft,
} from './channel-cells.tsx';
import { type ChannelRow, channelRowId, channelsIn, common, namesIn } from './channel-rows.ts';
import { ModelCount } from './ModelCount.tsx';
import { NumberCell } from './NumberCell.tsx';

/** Callbacks of the columns; stable across renders, so that rows do not re-render. */
export interface ColumnNeeds {
  /** Whether the server keeps a history of outcomes. */
  readonly hasHealth: boolean;
  readonly onOpen: (channel: Channel) => void;
  readonly onToggleTag: (tag: string) => void;
  readonly onSwitch: (channel: Channel, isOn: boolean) => void;
  readonly onBalance: (channel: Channel) => void;
  readonly onOrder: (row: ChannelRow, order: OrderChange) => Promise<unknown>;
}

export type OrderChange = { readonly priority: number } | { readonly weight: number };

export function useChannelColumns(needs: ColumnNeeds): readonly Column<ChannelRow>[] {
  const t = useCellText();
  const { hasHealth, onOpen, onToggleTag, onSwitch, onBalance, onOrder } = needs;
  return useMemo(
    () => columnsOf(t, { hasHealth, onOpen, onToggleTag, onSwitch, onBalance, onOrder }),
    [t, hasHealth, onOpen, onToggleTag, onSwitch, onBalance, onOrder],
  );
}

function columnsOf(t: TFunction, needs: ColumnNeeds): readonly Column<ChannelRow>[] {
  const all: (Column<ChannelRow> | undefined)[] = [
    ...nameColumns(t, needs),
    {
      key: 'type',
      title: t('channel.column.type'),
      width: 100,
      priority: 6,
      render: (row) => <TypeCell row={row} />,
    },
    {
      key: 'group',
      title: t('channel.column.group'),
      width: 92,
      priority: 5,
      render: (row) => <GroupTags groups={namesIn(channelsIn(row), (one) => one.group)} />,
    },
    statusColumn(t, needs),
    needs.hasHealth ? healthColumn(t) : undefined,
    ...measureColumns(t, needs),
    numberColumn(t, needs, 'priority'),
    numberColumn(t, needs, 'weight'),
    {
      key: 'models',
      title: t('channel.column.models'),
      width: 54,
      priority: 1,
      align: 'right',
      card: 'none',
      render: (row) => <ModelCount models={namesIn(channelsIn(row), (one) => one.models)} />,
    },
  ];
  return all.filter((column) => column !== undefined);
}

function nameColumns(t: TFunction, needs: ColumnNeeds): readonly Column<ChannelRow>[] {
  return [
    {
      key: 'id',
      title: t('channel.column.id'),
      width: 46,
      priority: 2,
      card: 'none',
      whole: (row) => (row.kind === 'tag' ? undefined : String(row.channel.id)),
      render: (row) => (row.kind === 'tag' ? null : row.channel.id),
    },
    {
      key: 'name',
      title: t('channel.column.name'),
      width: 240,
      isWide: true,
      isFixed: true,
      card: 'title',
      render: (row) =>
        row.kind === 'tag' ? (
          <TagName row={row} onToggle={() => needs.onToggleTag(row.tag)} />
        ) : (
          <ChannelName
            channel={row.channel}
            isChild={row.isChild}
            onOpen={() => needs.onOpen(row.channel)}
          />
        ),
    },
  ];
}

function measureColumns(t: TFunction, { onBalance }: ColumnNeeds): readonly Column<ChannelRow>[] {
  return [
    {
      key: 'response',
      title: t('channel.column.response'),
      width: 84,
      priority: 4,
      align: 'center',
      render: (row) =>
        row.kind === 'tag' ? <TagResponse row={row} /> : <ResponseTime channel={row.channel} />,
    },
    {
      key: 'used',
      title: t('channel.column.used'),
      width: 86,
      priority: 7,
      align: 'right',
      render: (row) =>
        row.kind === 'tag' ? (
          <TagUsage row={row} />
        ) : (
          <UsedAndLeft channel={row.channel} onRefresh={() => onBalance(row.channel)} />
        ),
    },
  ];
}

function TypeCell({ row }: { readonly row: ChannelRow }) {
  const t = useCellText();
  const type = common(channelsIn(row), (one) => one.type);
  if (type === undefined) return <Tag>{t('channel.tag.mixed')}</Tag>;
  return (
    <span className={classes.type} title={channelTypeName(type)}>
      <TypeTag type={type} />
    </span>
  );
}

function statusColumn(t: TFunction, { onSwitch }: ColumnNeeds): Column<ChannelRow> {
  return {
    key: 'status',
    title: t('channel.column.status'),
    width: 152,
    card: 'status',
    render: (row) =>
      row.kind === 'tag' ? (
        <TagStatus row={row} />
      ) : (
        <ChannelStatus channel={row.channel} onSwitch={(isOn) => onSwitch(row.channel, isOn)} />
      ),
  };
}

function healthColumn(t: TFunction): Column<ChannelRow> {
  return {
    key: 'health',
    title: t('channel.column.health'),
    width: 112,
    isSortable: true,
    render: (row) => <ChannelHealth row={row} />,
  };
}

function numberColumn(
  t: TFunction,
  { onOrder }: ColumnNeeds,
  name: 'priority' | 'weight',
): Column<ChannelRow> {
  return {
    key: name,
    title: t(`channel.column.${name}`),
    width: name === 'priority' ? 62 : 54,
    priority: name === 'weight' ? 3 : 4,
    align: 'right',
    card: 'none',
    whole: (row) => numberOf(row, name)?.toString(),
    render: (row) => (
      <NumberCell
        of={channelRowId(row)}
        label={t(`channel.cell.${name}`, {
          name: row.kind === 'tag' ? row.tag : row.channel.name,
        })}
        value={numberOf(row, name)}
        least={CHANNEL[name].least}
        rule={t('channel.check.least', { least: CHANNEL[name].least })}
        onSave={(value) =>
          onOrder(row, name === 'priority' ? { priority: value } : { weight: value })
        }
      />
    ),
  };
}

function numberOf(row: ChannelRow, name: 'priority' | 'weight'): number | undefined {
  return common(channelsIn(row), (one) => one[name]);
}
