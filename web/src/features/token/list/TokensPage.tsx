import { Button } from '@mantine/core';
import { IconCopy, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BulkBar } from '../../../components/data-table/BulkBar.tsx';
import { ColumnSettings } from '../../../components/data-table/ColumnSettings.tsx';
import { DataTable } from '../../../components/data-table/DataTable.tsx';
import { rowActions } from '../../../components/data-table/row-actions.tsx';
import { Notice } from '../../../components/display/Notice.tsx';
import type { FilterProps } from '../../../components/layout/ListFilters.tsx';
import { Empty, NoMatch } from '../../../components/layout/list-states.tsx';
import { PageHeader } from '../../../components/layout/PageHeader.tsx';
import { useList } from '../../../hooks/useList.ts';
import { selectableGroupsQuery } from '../../../lib/api/account.ts';
import { tokenKeys } from '../../../lib/api/query-keys.ts';
import { PAGE_FIELDS } from '../../../lib/browser/page-links.ts';
import { STORED, useStored } from '../../../lib/browser/stored.ts';
import { type UrlState, useUrlState } from '../../../lib/browser/url-state.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { isEnabled, type Token, tokens } from '../calls.ts';
import { NewTokensDialog } from '../connect/NewTokenDialog.tsx';
import { UseDialog } from '../connect/UseDialog.tsx';
import { EditTokenDrawer, NewTokenDrawer } from '../editor/TokenDrawer.tsx';
import { tokenFormTarget } from './open-tokens.ts';
import { type TokenFilterState, TokenFilters } from './TokenFilters.tsx';
import { tokenColumns } from './token-columns.tsx';
import { type SelectedTokens, useSelectedTokens } from './useSelectedTokens.ts';
import { useTokenActions } from './useTokenActions.tsx';

const NO_TOKENS: readonly Token[] = [];

function isOff(token: Token): boolean {
  return !isEnabled(token);
}

export function TokensPage() {
  const { t } = useTranslation();
  const { set, ...filters } = useFilters();
  const { state, isNarrowed } = filters;
  const list = useTokens(filters.query, set);
  const [made, setMade] = useState<readonly Token[]>([]);
  const [used, setUsed] = useState<Token | undefined>(undefined);
  const { data: groups } = useQuery(selectableGroupsQuery);
  const selection = useSelectedTokens(list.items ?? NO_TOKENS);
  const actions = useTokenActions({
    onUse: setUsed,
    onEdit: (id) => set({ id: String(id) }),
    onDuplicate: (id) => set({ id: `copy-${id}` }),
  });
  const cellText = useCellText();
  const columns = useMemo(() => tokenColumns(cellText, groups), [cellText, groups]);
  const create = () => set({ id: 'new' });
  const opened = tokenFormTarget(state.id);
  const close = () => set({ id: '' });
  return (
    <>
      <PageHeader
        title={t('nav.tokens')}
        hint={t('token.hint')}
        actions={
          <>
            <Button variant="default" leftSection={<IconCopy size={16} />} onClick={selection.copy}>
              {t('token.copyChosen')}
            </Button>
            <Button leftSection={<IconPlus size={16} />} onClick={create}>
              {t('token.create')}
            </Button>
          </>
        }
      />
      <div style={{ marginBottom: 12 }}>
        <Notice tone="yellow">{t('token.banner')}</Notice>
      </div>
      <TokenFilters
        state={filters.narrowing}
        set={filters.narrow}
        reset={filters.reset}
        groups={groups}
        tools={<ColumnSettings id="token" columns={columns} />}
      />
      <DataTable
        {...list.tableProps}
        id="token"
        label={t('nav.tokens')}
        rowId={(token) => token.id}
        columns={columns}
        actions={actions}
        isMuted={isOff}
        selected={selection.ids}
        onSelect={selection.setIds}
        empty={isNarrowed ? <NoMatch onClear={filters.reset} /> : <NoTokens onCreate={create} />}
      />
      <SelectionBar selection={selection} />
      <NewTokenDrawer opened={opened} onClose={close} onMade={setMade} />
      <EditTokenDrawer opened={opened} onClose={close} />
      <NewTokensDialog made={made} onClose={() => setMade([])} />
      <UseDialog token={used} onClose={() => setUsed(undefined)} />
    </>
  );
}

/** The list's filters: from the URL, except a pasted key, which is secret. */
function useFilters() {
  const { state, set, reset, isNarrowed } = useUrlState(PAGE_FIELDS['/app/tokens']);
  const [key, setKey] = useState('');
  const [pageSize] = useStored(STORED.pageSize);
  const { q, status, group, page } = state;
  const narrow: FilterProps<TokenFilterState>['set'] = ({ key: nextKey, ...patch }, how) => {
    if (nextKey !== undefined) setKey(nextKey.trim());
    set({ ...patch, page: 1 }, how);
  };
  const query = {
    p: page,
    page_size: pageSize,
    keyword: q,
    status,
    group,
    ...(key !== '' && { token: key }),
  };
  return {
    state,
    set,
    query,
    narrowing: { q, status, group, key },
    narrow,
    isNarrowed: isNarrowed || key !== '',
    reset: () => {
      setKey('');
      reset();
    },
  };
}

function useTokens(
  query: Parameters<typeof tokens.list>[0] & { readonly keyword: string },
  set: UrlState<(typeof PAGE_FIELDS)['/app/tokens']>['set'],
) {
  const [, setPageSize] = useStored(STORED.pageSize);
  const isSearch = query.keyword !== '' || query.token !== undefined;
  return useList({
    key: tokenKeys.list(query),
    fetch: (signal) => (isSearch ? tokens.search : tokens.list)(query, { signal }),
    onPage: (page, how) => set({ page }, how),
    setPageSize,
  });
}

function SelectionBar({ selection }: { readonly selection: SelectedTokens }) {
  const t = useCellText();
  const actions = rowActions(t, {
    copy: { label: t('token.copyKeys'), onClick: selection.copy },
    enable: { onClick: selection.enable },
    disable: { onClick: selection.disable },
    delete: { onClick: selection.remove },
  });
  return <BulkBar count={selection.ids.size} onClear={selection.clear} actions={actions} />;
}

function NoTokens({ onCreate }: { readonly onCreate: () => void }) {
  const { t } = useTranslation();
  return (
    <Empty
      title={t('token.none')}
      text={t('token.noneHint')}
      action={<Button onClick={onCreate}>{t('token.create')}</Button>}
    />
  );
}
