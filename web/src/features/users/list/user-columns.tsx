import {
  IconBrandGithub,
  IconBrandTelegram,
  IconBrandWechat,
  IconMessages,
  IconShieldLock,
} from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { LOG_TYPE } from '../../../../../src/domain/logs/log-types.ts';
import { numberText } from '../../../../../src/domain/text/number-text.ts';
import { Meter } from '../../../components/charts/Meter.tsx';
import cells from '../../../components/data-table/cells.module.css';
import type { Column } from '../../../components/data-table/columns.ts';
import { EntriesLink } from '../../../components/display/EntriesLink.tsx';
import { QuotaText } from '../../../components/display/QuotaText.tsx';
import { RelativeTime } from '../../../components/display/RelativeTime.tsx';
import { StateTag, StatusBadge } from '../../../components/display/StatusBadge.tsx';
import { GroupTag, RoleTag } from '../../../components/display/tag-lists.tsx';
import { toneOf, toneStyle } from '../../../components/display/tones.ts';
import { usePrivacy } from '../../../lib/display/privacy.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import type { User } from '../calls.ts';
import classes from './UserCells.module.css';

const HIDDEN = '•••';

export function userColumns(t: TFunction): readonly Column<User>[] {
  return [...accountColumns(t), ...standingColumns(t)];
}

/** Name, email, group, balance and usage. */
function accountColumns(t: TFunction): readonly Column<User>[] {
  return [
    {
      key: 'id',
      title: t('common.id'),
      width: 54,
      priority: 1,
      card: 'none',
      whole: ({ id }) => String(id),
      render: ({ id }) => id,
    },
    {
      key: 'username',
      title: t('common.username'),
      width: 136,
      isWide: true,
      isFixed: true,
      card: 'title',
      render: (user) => <WhoCell user={user} />,
    },
    {
      key: 'email',
      title: t('user.email'),
      width: 160,
      priority: 6,
      isWide: true,
      render: (user) => <EmailCell user={user} />,
      card: 'none',
    },
    {
      key: 'group',
      title: t('common.group'),
      width: 76,
      priority: 5,
      render: ({ group }) => <GroupTag group={group} />,
    },
    {
      key: 'quota',
      title: t('user.quotaLeft'),
      width: 150,
      render: (user) => <BalanceCell user={user} />,
    },
    {
      key: 'request_count',
      title: t('common.requests'),
      width: 68,
      priority: 4,
      align: 'right',
      whole: ({ request_count }) => numberText(request_count),
      render: ({ username, request_count }) => (
        <EntriesLink user={username} type={String(LOG_TYPE.consume)}>
          {numberText(request_count)}
        </EntriesLink>
      ),
      card: 'none',
    },
  ];
}

/** Invitations, times, role and status. */
function standingColumns(t: TFunction): readonly Column<User>[] {
  return [
    {
      key: 'invites',
      title: t('user.invites'),
      width: 124,
      priority: 3,
      render: (user) => <InvitesCell user={user} />,
      card: 'none',
    },
    {
      key: 'times',
      title: t('user.times'),
      width: 150,
      priority: 2,
      render: (user) => <TimesCell user={user} />,
      card: 'none',
    },
    {
      key: 'role',
      title: t('user.role'),
      width: 105,
      align: 'center',
      render: ({ role }) => <RoleTag role={role} />,
    },
    {
      key: 'status',
      title: t('common.status'),
      width: 108,
      align: 'center',
      card: 'status',
      render: (user) => <UserState user={user} />,
    },
  ];
}

/** Registration, with a dash if not recorded, and last sign-in. */
function TimesCell({ user: { created_time, last_login_time } }: { readonly user: User }) {
  const t = useCellText();
  return (
    <div className={cells.pair}>
      <span>
        {t('user.created')} <RelativeTime at={created_time} />
      </span>
      <span className={cells.dimmed}>
        {last_login_time > 0 ? (
          <>
            {t('user.lastLogin')} <RelativeTime at={last_login_time} />
          </>
        ) : (
          t('user.neverSignedIn')
        )}
      </span>
    </div>
  );
}

/** A closed account is neither enabled nor disabled. */
function UserState({ user }: { readonly user: User }) {
  const t = useCellText();
  if (user.DeletedAt === null) return <StatusBadge of="user" status={user.status} />;
  return (
    <StateTag tone="grey" shape="slash">
      {t('user.loggedOff')}
    </StateTag>
  );
}

function WhoCell({ user }: { readonly user: User }) {
  const isHidden = usePrivacy();
  const { username, display_name } = user;
  const shown = display_name || username;
  const tone = toneOf(username);
  return (
    <div className={classes.who}>
      <span className={classes.avatar} style={toneStyle(tone)} aria-hidden>
        {isHidden ? '' : ([...shown][0] ?? '').toUpperCase()}
      </span>
      <div className={cells.column}>
        <span
          className={`${cells.clipped} ${cells.strong}`}
          title={isHidden ? undefined : username}
        >
          {isHidden ? HIDDEN : username}
        </span>
        {display_name !== '' && display_name !== username && (
          <span
            className={`${cells.clipped} ${cells.small} ${cells.dimmed}`}
            title={isHidden ? undefined : display_name}
          >
            {isHidden ? HIDDEN : display_name}
          </span>
        )}
      </div>
    </div>
  );
}

/** Linked sign-in methods, in the order of the icons. */
export const BINDINGS = [
  { field: 'github_id', icon: IconBrandGithub },
  { field: 'oidc_id', icon: IconShieldLock },
  { field: 'wechat_id', icon: IconBrandWechat },
  { field: 'telegram_id', icon: IconBrandTelegram },
  { field: 'linux_do_id', icon: IconMessages },
] as const;

function EmailCell({ user }: { readonly user: User }) {
  const t = useCellText();
  const isHidden = usePrivacy();
  const bound = BINDINGS.filter(({ field }) => user[field] !== '');
  if (user.email === '' && bound.length === 0)
    return <span className={cells.dimmed}>{t('common.none')}</span>;
  return (
    <div className={classes.email}>
      {user.email !== '' && (
        <span className={cells.clipped} title={isHidden ? undefined : user.email}>
          {isHidden ? HIDDEN : user.email}
        </span>
      )}
      {bound.length > 0 && (
        <span className={classes.bindings}>
          {bound.map(({ field, icon: Icon }) => (
            <span key={field} data-hint={t(`part.identity.${field}`)}>
              <Icon size={14} role="img" aria-label={t(`part.identity.${field}`)} />
            </span>
          ))}
        </span>
      )}
    </div>
  );
}

function BalanceCell({ user: { username, quota, used_quota } }: { readonly user: User }) {
  const t = useCellText();
  const isHidden = usePrivacy();
  const whole = Math.max(quota, 0) + used_quota;
  const left = whole === 0 ? 0 : (Math.max(quota, 0) / whole) * 100;
  return (
    <div className={classes.balance}>
      <div className={classes.balanceLine}>
        <span className={`${cells.strong} ${quota < 0 ? cells.bad : ''}`}>
          <QuotaText units={quota} isPrivate />
        </span>
        <span className={cells.dimmed}>
          {t('user.used')}{' '}
          <EntriesLink user={username}>
            <QuotaText units={used_quota} isPrivate />
          </EntriesLink>
        </span>
      </div>
      <Meter
        value={isHidden ? 0 : left}
        isLow={left <= 20 && whole !== 0}
        label={t('user.quotaLeft')}
      />
    </div>
  );
}

function InvitesCell({ user }: { readonly user: User }) {
  const t = useCellText();
  const { aff_count, aff_history_quota, inviter_id } = user;
  const invited = t('user.invited', { count: aff_count });
  const inviter = t('user.inviter', {
    who: inviter_id === 0 ? t('common.none') : `#${inviter_id}`,
  });
  return (
    <div className={cells.pair}>
      <span data-hint={invited}>
        {invited} · <QuotaText units={aff_history_quota} isPrivate />
      </span>
      <span className={cells.dimmed} data-hint={inviter}>
        {inviter}
      </span>
    </div>
  );
}
