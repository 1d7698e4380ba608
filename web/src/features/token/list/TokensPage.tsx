import { IconCopy } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BulkBar } from '../../../components/data-table/BulkBar.tsx';
import { rowActions } from '../../../components/data-table/row-actions.tsx';
import { Notice } from '../../../components/display/Notice.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import type { FilterProps } from '../../../components/layout/ListFilters.tsx';
import { ListPage } from '../../../components/layout/ListPage.tsx';
import { useUrlList } from '../../../hooks/useList.ts';
import { selectableGroupsQuery } from '../../../lib/api/account.ts';
import { tokenKeys } from '../../../lib/api/query-keys.ts';
import { PAGE_FIELDS } from '../../../lib/browser/page-links.ts';
import { useUrlState } from '../../../lib/browser/url-state.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { isEnabled, type Token, tokens } from '../calls.ts';
import { NewTokensDialog } from '../connect/NewTokenDialog.tsx';
import { UseDialog } from '../connect/UseDialog.tsx';
import { EditTokenDrawer, NewTokenDrawer } from '../editor/TokenDrawer.tsx';
import { tokenFormTarget } from './open-tokens.ts';
import { tokenColumns } from './token-columns.tsx';
import { type TokenFilterState, tokenFilters, withKey } from './token-filters.tsx';
import { type SelectedTokens, useSelectedTokens } from './useSelectedTokens.ts';
import { useTokenActions } from './useTokenActions.tsx';

const NO_TOKENS: readonly Token[] = [];

function isOff(token: Token): boolean {
  return !isEnabled(token);
}

export function TokensPage() {
  const { t } = useTranslation();
  const { set, ...url } = useFilters();
  const { keyword, token } = url.filter;
  const find = keyword === '' && token === undefined ? tokens.list : tokens.search;
  const list = useUrlList(tokenKeys, { state: url.all, set }, url.filter, find);
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
  const opened = tokenFormTarget(url.all.id);
  const close = () => set({ id: '' });
  return (
    <ListPage
      {...list.tableProps}
      id="token"
      title={t('nav.tokens')}
      hint={t('token.hint')}
      moreActions={
        <SideButton icon={IconCopy} label={t('token.copyChosen')} onClick={selection.copy} />
      }
      add={{ label: t('token.create'), onClick: () => set({ id: 'new' }) }}
      above={
        <div style={{ marginBottom: 12 }}>
          <Notice tone="yellow">{t('token.banner')}</Notice>
        </div>
      }
      url={{ ...url, set: url.narrow }}
      filters={tokenFilters(t, [...Object.keys(groups ?? {}), url.state.group])}
      read={withKey}
      rowId={(token) => token.id}
      columns={columns}
      actions={actions}
      isMuted={isOff}
      selected={selection.ids}
      onSelect={selection.setIds}
      none={{ title: t('token.none'), text: t('token.noneHint') }}
    >
      <SelectionBar selection={selection} />
      <NewTokenDrawer opened={opened} onClose={close} onMade={setMade} />
      <EditTokenDrawer opened={opened} onClose={close} />
      <NewTokensDialog made={made} onClose={() => setMade([])} />
      <UseDialog token={used} onClose={() => setUsed(undefined)} />
    </ListPage>
  );
}

/** The list's filters: from the URL, except a pasted key, which is secret. */
function useFilters() {
  const { state: all, set, reset, isNarrowed } = useUrlState(PAGE_FIELDS['/app/tokens']);
  const [key, setKey] = useState('');
  const { q, status, group } = all;
  const narrow: FilterProps<TokenFilterState>['set'] = ({ key: nextKey, ...patch }, how) => {
    if (nextKey !== undefined) setKey(nextKey.trim());
    set({ ...patch, page: 1 }, how);
  };
  return {
    all,
    set,
    filter: { keyword: q, status, group, ...(key !== '' && { token: key }) },
    state: { q, status, group, key },
    narrow,
    isNarrowed: isNarrowed || key !== '',
    reset: () => {
      setKey('');
      reset();
    },
  };
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
