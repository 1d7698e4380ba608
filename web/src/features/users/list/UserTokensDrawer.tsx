import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type * as z from 'zod/mini';
import type { Token } from '../../../../../src/api/accounts/token.ts';
import type { Column } from '../../../components/data-table/columns.ts';
import { DataTable } from '../../../components/data-table/DataTable.tsx';
import { EntriesLink } from '../../../components/display/EntriesLink.tsx';
import { QuotaText } from '../../../components/display/QuotaText.tsx';
import { RelativeTime } from '../../../components/display/RelativeTime.tsx';
import { StatusBadge } from '../../../components/display/StatusBadge.tsx';
import { DetailDrawer } from '../../../components/layout/DetailDrawer.tsx';
import { Empty } from '../../../components/layout/list-states.tsx';
import { useInnerList } from '../../../hooks/useList.ts';
import { useRecord } from '../../../hooks/useRecord.ts';
import { tokenKeys, userKeys } from '../../../lib/api/query-keys.ts';
import { users, userTokens } from '../calls.ts';

type OneToken = z.output<typeof Token>;

interface UserTokensDrawerProps {
  /** Id of the user; '' is closed. */
  readonly id: string;
  readonly ids: readonly string[];
  readonly onId: (id: string) => void;
}

/** The API tokens of one account, read-only. */
export function UserTokensDrawer({ id, ids, onId }: UserTokensDrawerProps) {
  const { t } = useTranslation();
  const { data: user } = useRecord(userKeys, id, users.get);
  return (
    <DetailDrawer
      id={id}
      ids={ids}
      onId={onId}
      title={t('user.tokensOf', { name: user?.username ?? '' })}
    >
      {id !== '' && <TokenList key={id} userId={Number(id)} />}
    </DetailDrawer>
  );
}

function TokenList({ userId }: { readonly userId: number }) {
  const { t } = useTranslation();
  const list = useInnerList(tokenKeys.list, { user: userId }, userTokens.list);
  return (
    <DataTable
      {...list.tableProps}
      id="user-token"
      label={t('user.action.tokens')}
      rowId={(token) => token.id}
      columns={tokenColumns(t)}
      empty={<Empty title={t('user.noTokens')} />}
    />
  );
}

function tokenColumns(t: TFunction): readonly Column<OneToken>[] {
  return [
    { key: 'name', title: t('common.name'), card: 'title', render: ({ name }) => name },
    {
      key: 'status',
      title: t('common.status'),
      card: 'status',
      align: 'center',
      render: ({ status }) => <StatusBadge of="token" status={status} />,
    },
    {
      key: 'used_quota',
      title: t('user.token.used'),
      align: 'right',
      render: ({ id, used_quota }) => (
        <EntriesLink token_id={id}>
          <QuotaText units={used_quota} isPrivate />
        </EntriesLink>
      ),
    },
    {
      key: 'remain_quota',
      title: t('user.token.left'),
      align: 'right',
      render: ({ remain_quota, unlimited_quota }) =>
        unlimited_quota ? t('user.token.unlimited') : <QuotaText units={remain_quota} isPrivate />,
    },
    {
      key: 'accessed_time',
      title: t('common.lastUsed'),
      render: ({ accessed_time }) => (
        <RelativeTime at={accessed_time} none={t('user.token.never')} />
      ),
    },
  ];
}
