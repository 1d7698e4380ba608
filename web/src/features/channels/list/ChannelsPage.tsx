import { Button, Group, Switch, Text } from '@mantine/core';
import { useCallbackRef } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CHANNEL_STATUS } from '../../../../../src/domain/statuses.ts';
import { ColumnSettings } from '../../../components/data-table/ColumnSettings.tsx';
import { DataTable } from '../../../components/data-table/DataTable.tsx';
import { confirm } from '../../../components/layout/confirm.tsx';
import { Empty, NoMatch } from '../../../components/layout/list-states.tsx';
import { PageHeader } from '../../../components/layout/PageHeader.tsx';
import { useList } from '../../../hooks/useList.ts';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { type ChannelStateName, PAGE_FIELDS } from '../../../lib/browser/page-links.ts';
import { STORED, useStored } from '../../../lib/browser/stored.ts';
import { useUrlState } from '../../../lib/browser/url-state.ts';
import { useIsPhone } from '../../../lib/display/screen.ts';
import { type Channel, channels } from '../calls.ts';
import { ChannelDrawer } from '../editor/ChannelDrawer.tsx';
import { FetchOfChannel } from '../models/ModelDiffDialog.tsx';
import { TagDrawer } from '../tags/TagDrawer.tsx';
import { TestDialog } from '../tests/TestDialog.tsx';
import { BatchMenu } from './BatchMenu.tsx';
import { ChannelBulkBar } from './ChannelBulkBar.tsx';
import { ChannelCounts } from './ChannelCounts.tsx';
import { ChannelFilters } from './ChannelFilters.tsx';
import { HealthContext, NO_HEALTH, useHealth } from './ChannelHealth.tsx';
import { type ColumnNeeds, type OrderChange, useChannelColumns } from './channel-columns.tsx';
import { isSearch, queryOf } from './channel-filters.ts';
import {
  boxesOf,
  type ChannelRow,
  channelRowId,
  channelsChosen,
  plainRows,
  type TagRow,
  tagRows,
} from './channel-rows.ts';
import { useBalanceRefresh, useRowActions } from './useChannelActions.tsx';
import { useChannelEdits } from './useChannelEdits.ts';

const TABLE = 'channel';
const NO_CHANNELS: readonly Channel[] = [];

function isOff(row: ChannelRow): boolean {
  return row.kind === 'channel' && row.channel.status !== CHANNEL_STATUS.enabled;
}

export function ChannelsPage() {
  const { t } = useTranslation();
  const url = useUrlState(PAGE_FIELDS['/admin/channels']);
  const { state, set } = url;
  const page = useChannelPage(url);
  const [tested, setTested] = useState<Channel>();
  const [compared, setCompared] = useState<Channel>();
  const [editedTag, setEditedTag] = useState<TagRow>();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const openers = {
    edit: (id: number) => set({ id: String(id) }),
    test: setTested,
    fetchModels: setCompared,
    editTag: setEditedTag,
  };
  const actions = useRowActions(openers);
  // Rendering a hundred strips is slow: defer it to keep the page responsive.
  const health = useDeferredValue(useHealth(page.list.items ?? NO_CHANNELS));
  const columns = useChannelColumns(useColumnNeeds(page, health !== undefined, openers.edit));
  const selected = useMemo(() => boxesOf(chosen, page.rows ?? []), [chosen, page.rows]);
  return (
    <>
      <Header
        onNew={() => set({ id: 'new' })}
        onStatus={(status) => set({ status })}
        chosen={chosen}
        onChosen={setChosen}
      />
      <ChannelFilters {...url} tools={<Tools columns={columns} />} />
      <HealthContext value={health ?? NO_HEALTH}>
        <DataTable
          {...page.list.tableProps}
          rows={page.rows}
          isTight
          sort={state.sort === '' ? '' : 'health'}
          onSort={(sort) => set({ sort: sort === 'health' ? 'failing_since' : '' })}
          id={TABLE}
          label={t('nav.channels')}
          rowId={channelRowId}
          columns={columns}
          actions={actions}
          selected={selected}
          onSelect={(boxes) => setChosen(channelsChosen(chosen, boxes, page.rows ?? []))}
          isMuted={isOff}
          empty={<NoChannels url={url} onNew={() => set({ id: 'new' })} />}
        />
      </HealthContext>
      {page.tagMode && <Untagged onShow={page.showUntagged} />}
      <ChannelBulkBar
        chosen={chosen}
        onChosen={setChosen}
        query={page.query}
        total={page.total}
        shown={page.list.items ?? []}
      />
      <ChannelDrawer id={state.id} onId={(id) => set({ id })} />
      <TestDialog channel={tested} onClose={() => setTested(undefined)} />
      <FetchOfChannel channel={compared} onClose={() => setCompared(undefined)} />
      <TagDrawer row={editedTag} onClose={() => setEditedTag(undefined)} />
    </>
  );
}

type ChannelPage = ReturnType<typeof useChannelPage>;

function useChannelPage({
  state,
  set,
}: ReturnType<typeof useUrlState<(typeof PAGE_FIELDS)['/admin/channels']>>) {
  const [pageSize, setPageSize] = useStored(STORED.pageSize);
  const [tagMode, setTagMode] = useStored(STORED.channelTagMode);
  const [idSort] = useStored(STORED.channelIdSort);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const query = queryOf(state, { pageSize, tagMode, idSort });
  const list = useList({
    key: channelKeys.list(query),
    fetch: (signal) =>
      isSearch(query) ? channels.search(query, { signal }) : channels.list(query, { signal }),
    onPage: (page, how) => set({ page }, how),
    setPageSize,
  });
  const { items } = list;
  const rows = useMemo(
    () => items && (tagMode ? tagRows(items, open) : plainRows(items)),
    [items, tagMode, open],
  );
  const toggleTag = (tag: string) => {
    const next = new Set(open);
    if (!next.delete(tag)) next.add(tag);
    setOpen(next);
  };
  const showUntagged = () => {
    setTagMode(false);
    set({ untagged: true });
  };
  return {
    query,
    list,
    rows,
    tagMode,
    toggleTag,
    showUntagged,
    total: list.query.data?.total ?? 0,
  };
}

function useColumnNeeds(
  page: ChannelPage,
  hasHealth: boolean,
  onEdit: (id: number) => void,
): ColumnNeeds {
  const { t } = useTranslation();
  const edits = useChannelEdits();
  const onOrder = async (row: ChannelRow, order: OrderChange) => {
    if (row.kind === 'channel') return edits.setOrder(row.channel, order);
    const count = row.channels.length;
    const isSure = await confirm({
      title: t('channel.tag.orderTitle', { tag: row.tag }),
      text: t('channel.tag.all', { count }),
      verb: t('channel.tag.orderVerb', { count }),
    });
    if (isSure) await edits.setTagOrder(row.tag, row.channels, order);
  };
  return {
    hasHealth,
    onOpen: useCallbackRef(({ id }: Channel) => onEdit(id)),
    onToggleTag: useCallbackRef(page.toggleTag),
    onSwitch: useCallbackRef(
      (channel: Channel, isOn: boolean) => void edits.setStatus(channel, isOn ? 1 : 2),
    ),
    onBalance: useBalanceRefresh(),
    onOrder: useCallbackRef(onOrder),
  };
}

interface HeaderProps {
  readonly onNew: () => void;
  readonly onStatus: (status: ChannelStateName | '') => void;
  readonly chosen: ReadonlySet<number>;
  readonly onChosen: (ids: ReadonlySet<number>) => void;
}

function Header({ onNew, onStatus, chosen, onChosen }: HeaderProps) {
  const { t } = useTranslation();
  return (
    <PageHeader
      title={t('nav.channels')}
      hint={<ChannelCounts onStatus={onStatus} />}
      actions={
        <>
          <BatchMenu chosen={chosen} onChosen={onChosen} />
          <Button leftSection={<IconPlus size={16} />} onClick={onNew}>
            {t('channel.add')}
          </Button>
        </>
      }
    />
  );
}

function Tools({ columns }: { readonly columns: ReturnType<typeof useChannelColumns> }) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const [tagMode, setTagMode] = useStored(STORED.channelTagMode);
  const [idSort, setIdSort] = useStored(STORED.channelIdSort);
  return (
    <>
      <Switch
        size="xs"
        mr="xs"
        label={t('channel.tagView')}
        checked={tagMode}
        onChange={(event) => setTagMode(event.currentTarget.checked)}
      />
      <Switch
        size="xs"
        mr="xs"
        label={t('channel.idSort')}
        checked={idSort}
        onChange={(event) => setIdSort(event.currentTarget.checked)}
      />
      {!isPhone && <ColumnSettings id={TABLE} columns={columns} />}
    </>
  );
}

interface NoChannelsProps {
  readonly url: ReturnType<typeof useUrlState<(typeof PAGE_FIELDS)['/admin/channels']>>;
  readonly onNew: () => void;
}

function NoChannels({ url, onNew }: NoChannelsProps) {
  const { t } = useTranslation();
  const [tagMode, setTagMode] = useStored(STORED.channelTagMode);
  if (url.isNarrowed) return <NoMatch onClear={() => url.reset()} />;
  if (tagMode) {
    return (
      <Empty
        title={t('channel.noTags')}
        text={t('channel.noTagsHint')}
        action={
          <Button variant="default" onClick={() => setTagMode(false)}>
            {t('channel.showAll')}
          </Button>
        }
      />
    );
  }
  return (
    <Empty
      title={t('channel.none')}
      text={t('channel.noneHint')}
      action={<Button onClick={onNew}>{t('channel.add')}</Button>}
    />
  );
}

/** The tag view shows only tagged channels; this shows how many it omits. */
function Untagged({ onShow }: { readonly onShow: () => void }) {
  const { t } = useTranslation();
  const { data: count = 0 } = useQuery({
    queryKey: channelKeys.part('untagged'),
    queryFn: async ({ signal }) =>
      (await channels.list({ p: 1, page_size: 1, untagged: true }, { signal })).total,
  });
  if (count === 0) return null;
  return (
    <Group gap="xs" mt="xs">
      <Text size="xs" c="dimmed">
        {t('channel.untagged', { count })}
      </Text>
      <Button size="compact-xs" variant="subtle" onClick={onShow}>
        {t('channel.showUntagged')}
      </Button>
    </Group>
  );
}
