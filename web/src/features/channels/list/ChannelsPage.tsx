import { Button, Group, Switch } from '@mantine/core';
import { useCallbackRef } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CHANNEL_STATUS } from '../../../../../src/domain/statuses.ts';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { confirm } from '../../../components/layout/confirm.tsx';
import { ListPage } from '../../../components/layout/ListPage.tsx';
import { useUrlList } from '../../../hooks/useList.ts';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { PAGE_FIELDS } from '../../../lib/browser/page-links.ts';
import { STORED, useStored } from '../../../lib/browser/stored.ts';
import { type UrlState, useUrlState } from '../../../lib/browser/url-state.ts';
import { type Channel, channels } from '../calls.ts';
import { ChannelDrawer } from '../editor/ChannelDrawer.tsx';
import { FetchOfChannel } from '../models/ModelDiffDialog.tsx';
import { TagDrawer } from '../tags/TagDrawer.tsx';
import { TestDialog } from '../tests/TestDialog.tsx';
import { BatchMenu } from './BatchMenu.tsx';
import { ChannelBulkBar } from './ChannelBulkBar.tsx';
import { ChannelCounts } from './ChannelCounts.tsx';
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
import { useChannelFilters } from './useChannelFilters.ts';

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
    <HealthContext value={health ?? NO_HEALTH}>
      <ListPage
        {...page.list.tableProps}
        rows={page.rows}
        id="channel"
        title={t('nav.channels')}
        hint={<ChannelCounts onStatus={(status) => set({ status })} />}
        url={url}
        filters={useChannelFilters()}
        tools={<DisplaySwitches />}
        moreActions={<BatchMenu chosen={chosen} onChosen={setChosen} />}
        add={{ label: t('channel.add'), onClick: () => set({ id: 'new' }) }}
        isTight
        sort={state.sort === '' ? '' : 'health'}
        onSort={(sort) => set({ sort: sort === 'health' ? 'failing_since' : '' })}
        rowId={channelRowId}
        columns={columns}
        actions={actions}
        selected={selected}
        onSelect={(boxes) => setChosen(channelsChosen(chosen, boxes, page.rows ?? []))}
        isMuted={isOff}
        none={page.none}
      >
        {page.tagMode && <Untagged onShow={page.showUntagged} />}
        <ChannelBulkBar
          chosen={chosen}
          onChosen={setChosen}
          query={page.query}
          total={page.list.query.data?.total ?? 0}
          shown={page.list.items ?? NO_CHANNELS}
        />
        <ChannelDrawer id={state.id} onId={(id) => set({ id })} />
        {tested && <TestDialog listed={tested} onClose={() => setTested(undefined)} />}
        {compared && <FetchOfChannel channel={compared} onClose={() => setCompared(undefined)} />}
        <TagDrawer row={editedTag} onClose={() => setEditedTag(undefined)} />
      </ListPage>
    </HealthContext>
  );
}

type ChannelPage = ReturnType<typeof useChannelPage>;

function useChannelPage(url: UrlState<(typeof PAGE_FIELDS)['/admin/channels']>) {
  const { t } = useTranslation();
  const [tagMode, setTagMode] = useStored(STORED.channelTagMode);
  const [idSort] = useStored(STORED.channelIdSort);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const query = queryOf(url.state, { tagMode, idSort });
  const find = isSearch(query) ? channels.search : channels.list;
  const list = useUrlList(channelKeys, url, query, find);
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
    url.set({ untagged: true });
  };
  const showAll = <SideButton label={t('channel.showAll')} onClick={() => setTagMode(false)} />;
  const none = tagMode
    ? { title: t('channel.noTags'), text: t('channel.noTagsHint'), action: showAll }
    : { title: t('channel.none'), text: t('channel.noneHint') };
  return { query, list, rows, tagMode, toggleTag, showUntagged, none };
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

function DisplaySwitches() {
  const { t } = useTranslation();
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
    </>
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
    <Group mt="xs">
      <Dimmed>{t('channel.untagged', { count })}</Dimmed>
      <Button size="compact-xs" variant="subtle" onClick={onShow}>
        {t('channel.showUntagged')}
      </Button>
    </Group>
  );
}
