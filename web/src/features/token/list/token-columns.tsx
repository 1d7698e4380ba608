import type { TFunction } from 'i18next';
import type { Column } from '../../../components/data-table/columns.ts';
import { EntriesLink } from '../../../components/display/EntriesLink.tsx';
import { QuotaText } from '../../../components/display/QuotaText.tsx';
import { RelativeTime } from '../../../components/display/RelativeTime.tsx';
import type { SelectableGroups, Token } from '../calls.ts';
import {
  ExpiryCell,
  GroupCell,
  KeyCell,
  LimitsCell,
  NameCell,
  RemainingCell,
  StatusCell,
} from './token-cells.tsx';

export function tokenColumns(
  t: TFunction,
  groups: SelectableGroups | undefined,
): readonly Column<Token>[] {
  return [...keyColumns(t), ...limitColumns(t, groups), ...timeColumns(t)];
}

/** Name, status and usage. */
function keyColumns(t: TFunction): readonly Column<Token>[] {
  return [
    {
      key: 'name',
      title: t('common.name'),
      width: 180,
      isFixed: true,
      pin: 'left',
      card: 'title',
      render: (token) => <NameCell token={token} />,
    },
    {
      key: 'status',
      title: t('common.status'),
      width: 124,
      align: 'center',
      card: 'status',
      render: (token) => <StatusCell token={token} />,
    },
    {
      key: 'key',
      title: t('token.key'),
      width: 192,
      render: (token) => <KeyCell token={token} />,
    },
    {
      key: 'remain_quota',
      title: t('token.remaining'),
      width: 120,
      align: 'right',
      render: (token) => <RemainingCell token={token} />,
    },
    {
      key: 'used_quota',
      title: t('common.used'),
      width: 96,
      priority: 4,
      align: 'right',
      render: ({ id, used_quota }) => (
        <EntriesLink token_id={id}>
          <QuotaText units={used_quota} isPrivate />
        </EntriesLink>
      ),
    },
  ];
}

/** Restrictions and expiry. */
function limitColumns(
  t: TFunction,
  groups: SelectableGroups | undefined,
): readonly Column<Token>[] {
  return [
    {
      key: 'expired_time',
      title: t('token.expires'),
      width: 88,
      priority: 6,
      render: (token) => <ExpiryCell token={token} />,
    },
    {
      key: 'group',
      title: t('common.group'),
      width: 118,
      priority: 5,
      card: 'none',
      render: (token) => <GroupCell token={token} groups={groups} />,
    },
    {
      key: 'limits',
      title: t('token.limits'),
      width: 222,
      priority: 3,
      isWide: true,
      card: 'none',
      render: (token) => <LimitsCell token={token} />,
    },
  ];
}

function timeColumns(t: TFunction): readonly Column<Token>[] {
  return [
    {
      key: 'accessed_time',
      title: t('common.lastUsed'),
      width: 86,
      priority: 2,
      card: 'none',
      // A new token's access time equals its creation time.
      render: ({ accessed_time, created_time }) => (
        <RelativeTime
          at={accessed_time > created_time ? accessed_time : 0}
          none={t('token.neverUsed')}
        />
      ),
    },
    {
      key: 'created_time',
      title: t('common.created'),
      width: 104,
      priority: 1,
      card: 'none',
      render: ({ created_time }) => <RelativeTime at={created_time} />,
    },
  ];
}
