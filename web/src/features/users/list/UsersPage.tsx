import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ListPage } from '../../../components/layout/ListPage.tsx';
import { useUrlList } from '../../../hooks/useList.ts';
import { userKeys } from '../../../lib/api/query-keys.ts';
import { PAGE_FIELDS } from '../../../lib/browser/page-links.ts';
import { useUrlState } from '../../../lib/browser/url-state.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { type User, users } from '../calls.ts';
import { AddUserDrawer } from '../editor/AddUserDrawer.tsx';
import { EditUserDrawer } from '../editor/EditUserDrawer.tsx';
import { UserTokensDrawer } from './UserTokensDrawer.tsx';
import { userColumns } from './user-columns.tsx';
import { useManageUser, useUserActions } from './useUserActions.tsx';
import { useUserFilters } from './useUserFilters.ts';

export function UsersPage() {
  const { t } = useTranslation();
  const url = useUrlState(PAGE_FIELDS['/admin/users']);
  const { state, set } = url;
  const { q: keyword, group, role, status, id } = state;
  const find = url.isNarrowed ? users.search : users.list;
  const list = useUrlList(userKeys, url, { keyword, group, role, status }, find);
  const manage = useManageUser();
  const actions = useUserActions({
    onManage: manage.ask,
    onEdit: (id) => set({ id: String(id) }),
    onTokens: (id) => set({ tokens: String(id) }),
  });
  const cellText = useCellText();
  const columns = useMemo(() => userColumns(cellText), [cellText]);
  const isMuted = useCallback(
    (user: User) => user.DeletedAt !== null || user.id === manage.busyId,
    [manage.busyId],
  );
  const open = (id: string) => set({ id });
  return (
    <ListPage
      {...list.tableProps}
      id="user"
      title={t('nav.users')}
      hint={t('user.hint')}
      url={url}
      filters={useUserFilters(state)}
      add={{ label: t('user.add'), onClick: () => open('new') }}
      isTight
      rowId={(user) => user.id}
      columns={columns}
      actions={actions}
      isMuted={isMuted}
      none={{ title: t('user.empty') }}
    >
      <AddUserDrawer isOpen={id === 'new'} onClose={() => open('')} />
      <EditUserDrawer id={id === 'new' ? '' : id} onClose={() => open('')} />
      <UserTokensDrawer
        id={state.tokens}
        ids={list.items?.map((user) => String(user.id)) ?? []}
        onId={(tokens) => set({ tokens })}
      />
    </ListPage>
  );
}
