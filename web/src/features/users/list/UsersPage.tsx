import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ColumnSettings } from '../../../components/data-table/ColumnSettings.tsx';
import { DataTable } from '../../../components/data-table/DataTable.tsx';
import { Empty, NoMatch } from '../../../components/layout/list-states.tsx';
import { PageHeader } from '../../../components/layout/PageHeader.tsx';
import { useList } from '../../../hooks/useList.ts';
import { userKeys } from '../../../lib/api/query-keys.ts';
import { PAGE_FIELDS } from '../../../lib/browser/page-links.ts';
import { STORED, useStored } from '../../../lib/browser/stored.ts';
import { useUrlState } from '../../../lib/browser/url-state.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { type User, users } from '../calls.ts';
import { AddUserDrawer } from '../editor/AddUserDrawer.tsx';
import { EditUserDrawer } from '../editor/EditUserDrawer.tsx';
import { UserFilters } from './UserFilters.tsx';
import { UserTokensDrawer } from './UserTokensDrawer.tsx';
import { userColumns } from './user-columns.tsx';
import { useManageUser, useUserActions } from './useUserActions.tsx';

export function UsersPage() {
  const { t } = useTranslation();
  const { state, set, reset, isNarrowed } = useUrlState(PAGE_FIELDS['/admin/users']);
  const [pageSize, setPageSize] = useStored(STORED.pageSize);
  const { q: keyword, group, role, status, page, id } = state;
  const query = { keyword, group, role, status, p: page, page_size: pageSize };
  const list = useList({
    key: userKeys.list(query),
    fetch: (signal) => (isNarrowed ? users.search : users.list)(query, { signal }),
    onPage: (page, how) => set({ page }, how),
    setPageSize,
  });
  const manage = useManageUser();
  const actions = useUserActions({
    onManage: manage.ask,
    onEdit: (id) => set({ id: String(id) }),
    onTokens: (id) => set({ tokens: String(id) }),
  });
  const cellText = useCellText();
  const columns = useMemo(() => userColumns(cellText), [cellText]);
  const isMuted = useCallback(
    (user: User) => user.DeletedAt !== null || manage.busy.has(user.id),
    [manage.busy],
  );
  const open = (id: string) => set({ id });
  return (
    <>
      <PageHeader
        title={t('nav.users')}
        hint={t('user.hint')}
        actions={
          <Button leftSection={<IconPlus size={16} />} onClick={() => open('new')}>
            {t('user.add')}
          </Button>
        }
      />
      <UserFilters
        state={state}
        set={set}
        reset={reset}
        tools={<ColumnSettings id="user" columns={columns} />}
      />
      <DataTable
        {...list.tableProps}
        id="user"
        label={t('nav.users')}
        isTight
        rowId={(user) => user.id}
        columns={columns}
        actions={actions}
        isMuted={isMuted}
        empty={isNarrowed ? <NoMatch onClear={() => reset()} /> : <Empty title={t('user.empty')} />}
      />
      <AddUserDrawer isOpen={id === 'new'} onClose={() => open('')} />
      <EditUserDrawer id={id === 'new' ? '' : id} onClose={() => open('')} />
      <UserTokensDrawer
        id={state.tokens}
        ids={list.items?.map((user) => String(user.id)) ?? []}
        onId={(tokens) => set({ tokens })}
      />
    </>
  );
}
