import { Autocomplete, Select, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CHANNEL_TYPE_LIST } from '../../../../../src/domain/channels/channel-types.ts';
import { channelTypeName } from '../../../components/display/tag-lists.tsx';
import { FilterBar, type FilterChip } from '../../../components/layout/FilterBar.tsx';
import { useDraft } from '../../../hooks/useDraft.ts';
import { useGroupNames } from '../../../lib/api/group-names.ts';
import { RARELY_CHANGED_STALE_MS } from '../../../lib/api/query-client.ts';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import type { UrlState } from '../../../lib/browser/url-state.ts';
import { channels } from '../calls.ts';
import { type CHANNEL_FIELDS, STATUSES, type StatusName } from './channel-filters.ts';

interface ChannelFiltersProps {
  readonly url: UrlState<typeof CHANNEL_FIELDS>;
  readonly tools: ReactNode;
}

/** Keyword, model and group apply on submit; type and status apply immediately. */
export function ChannelFilters({ url, tools }: ChannelFiltersProps) {
  const { t } = useTranslation();
  const { state, set, reset } = url;
  const { q, model, group } = state;
  const { draft, change, send, clear } = useDraft({ q, model, group });
  const names = useNames();
  return (
    <FilterBar
      onSearch={() => set(send())}
      onReset={() => {
        clear();
        reset();
      }}
      chips={useChips(url)}
      tools={tools}
      more={<MoreFilters url={url} />}
      moreCount={
        [state.type, state.status || undefined, state.untagged || undefined].filter(
          (one) => one !== undefined,
        ).length
      }
    >
      <TextInput
        data-page-search
        w={{ base: '100%', xs: 250 }}
        label={t('channel.filter.q')}
        placeholder={t('channel.filter.qHint')}
        value={draft.q}
        onChange={(event) => change({ q: event.currentTarget.value })}
      />
      <Autocomplete
        w={{ base: '100%', xs: 180 }}
        label={t('channel.filter.model')}
        placeholder={t('channel.filter.any')}
        data={names.models}
        limit={30}
        value={draft.model}
        onChange={(value) => change({ model: value })}
      />
      <Autocomplete
        w={{ base: '100%', xs: 140 }}
        label={t('channel.filter.group')}
        placeholder={t('channel.filter.any')}
        data={names.groups}
        value={draft.group}
        onChange={(value) => change({ group: value })}
      />
    </FilterBar>
  );
}

function useNames(): { readonly models: string[]; readonly groups: readonly string[] } {
  const models = useQuery({
    queryKey: channelKeys.part('models-enabled'),
    queryFn: ({ signal }) => channels.modelsEnabled({}, { signal }),
    staleTime: RARELY_CHANGED_STALE_MS,
  });
  return { models: models.data ?? [], groups: useGroupNames() };
}

function MoreFilters({ url: { state, set } }: { readonly url: UrlState<typeof CHANNEL_FIELDS> }) {
  const { t } = useTranslation();
  return (
    <>
      <Select
        label={t('channel.filter.type')}
        placeholder={t('channel.filter.any')}
        searchable
        clearable
        comboboxProps={{ withinPortal: false }}
        data={CHANNEL_TYPE_LIST.map(({ type, name }) => ({ value: String(type), label: name }))}
        value={state.type === undefined ? null : String(state.type)}
        onChange={(type) => set({ type: type === null ? undefined : Number(type) })}
      />
      <Select
        label={t('channel.filter.status')}
        placeholder={t('channel.filter.any')}
        clearable
        comboboxProps={{ withinPortal: false }}
        data={STATUSES.map((value) => ({ value, label: t(`status.channel.${value}`) }))}
        value={state.status === '' ? null : state.status}
        onChange={(status) => set({ status: (status ?? '') as StatusName | '' })} // one of the list above
      />
      <Switch
        label={t('channel.filter.untagged')}
        checked={state.untagged}
        onChange={(event) => set({ untagged: event.currentTarget.checked })}
      />
    </>
  );
}

function useChips({ state, set }: UrlState<typeof CHANNEL_FIELDS>): FilterChip[] {
  const { t } = useTranslation();
  const { q, model, group, type, status, tag, untagged } = state;
  const chip = (key: string, label: string, value: string, onRemove: () => void): FilterChip => ({
    key,
    text: `${label}: ${value}`,
    onRemove,
  });
  const all = [
    q !== '' && chip('q', t('channel.filter.q'), q, () => set({ q: '' })),
    model !== '' && chip('model', t('channel.filter.model'), model, () => set({ model: '' })),
    group !== '' && chip('group', t('channel.filter.group'), group, () => set({ group: '' })),
    type !== undefined &&
      chip(
        'type',
        t('channel.filter.type'),
        channelTypeName(type) ?? t('part.type', { type }),
        () => set({ type: undefined }),
      ),
    status !== '' &&
      chip('status', t('channel.filter.status'), t(`status.channel.${status}`), () =>
        set({ status: '' }),
      ),
    tag !== '' && chip('tag', t('channel.filter.tag'), tag, () => set({ tag: '' })),
    untagged && {
      key: 'untagged',
      text: t('channel.filter.untagged'),
      onRemove: () => set({ untagged: false }),
    },
  ];
  return all.filter((one) => one !== false);
}
