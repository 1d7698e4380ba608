/** Site-wide banners under the top bar, at most two. */

import { Anchor, CloseButton } from '@mantine/core';
import { IconAlertTriangle, IconBell, IconRefresh, IconWallet } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router-dom';
import { siteNoticeQuery, useSiteNotice } from '../../components/content/site-notice.ts';
import { SideButton } from '../../components/display/SideButton.tsx';
import { problemText } from '../../components/forms/call-problem.ts';
import { usesDefaultPassword } from '../../components/identity/default-password.ts';
import { outlookQuery } from '../../lib/api/outlook.ts';
import { linkTo } from '../../lib/browser/page-links.ts';
import { usePrivacy } from '../../lib/display/privacy.ts';
import { useQuotaText } from '../../lib/pricing/quota-format.ts';
import { useUser } from '../../lib/session/session.ts';
import { statusQuery } from '../../lib/site/status.ts';
import classes from './Banners.module.css';

const MOST = 2;

export function Banners() {
  const banners = [
    useUnreachable(),
    useDefaultPassword(),
    useLowBalance(),
    useNewVersion(),
    useNewNotice(),
  ];
  return <>{banners.filter((banner) => banner !== null).slice(0, MOST)}</>;
}

interface BannerProps {
  readonly tone: 'red' | 'yellow' | 'blue';
  readonly icon: ReactNode;
  readonly action?: ReactNode;
  readonly onClose?: () => void;
  readonly children: ReactNode;
}

function Banner({ tone, icon, action, onClose, children }: BannerProps) {
  const { t } = useTranslation();
  return (
    <div className={classes.banner} data-tone={tone} role={tone === 'red' ? 'alert' : 'status'}>
      {icon}
      <div className={classes.text}>{children}</div>
      {action}
      {onClose && (
        <CloseButton size="sm" aria-label={t('action.close')} c="inherit" onClick={onClose} />
      )}
    </div>
  );
}

function useUnreachable(): ReactNode {
  const { t } = useTranslation();
  const { data: reading, isFetching, refetch } = useQuery(statusQuery);
  if (reading?.problem === undefined) return null;
  const title = t(
    reading.problem.kind === 'unreachable' ? 'shell.unreachable' : 'shell.statusFailed',
  );
  return (
    <Banner
      key="unreachable"
      tone="red"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      action={
        <SideButton
          size="compact-xs"
          loading={isFetching}
          label={t('action.retry')}
          onClick={() => void refetch()}
        />
      }
    >
      <strong>{title}</strong> {problemText(t, reading.problem)}
    </Banner>
  );
}

function useDefaultPassword(): ReactNode {
  const { t } = useTranslation();
  const user = useUser();
  const [isClosed, setClosed] = useState(false);
  if (user === undefined || isClosed || !usesDefaultPassword()) return null;
  return (
    <Banner
      key="password"
      tone="yellow"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      onClose={() => setClosed(true)}
      action={
        <Anchor
          component={Link}
          to={linkTo('/app/me', { tab: 'security' })}
          c="inherit"
          underline="always"
        >
          {t('common.changeThePassword')}
        </Anchor>
      }
    >
      {t('shell.defaultPassword')}
    </Banner>
  );
}

/** Below the threshold of the account, or with few days left; the wallet itself shows both. */
function useLowBalance(): ReactNode {
  const { t } = useTranslation();
  const quotaText = useQuotaText();
  const { pathname } = useLocation();
  const isPrivate = usePrivacy();
  const [isClosed, setClosed] = useState(false);
  const { data: outlook } = useQuery(outlookQuery(useUser()?.id ?? 0));
  if (outlook?.is_low !== true || isClosed || pathname === '/app/wallet') return null;
  const { quota, days_left: days } = outlook;
  return (
    <Banner
      key="balance"
      tone="yellow"
      icon={<IconWallet size={18} aria-hidden />}
      onClose={() => setClosed(true)}
      action={
        <Anchor component={Link} to="/app/wallet" c="inherit" underline="always">
          {t('shell.topUp')}
        </Anchor>
      }
    >
      {isPrivate ? t('shell.lowBalance') : t('shell.lowBalanceOf', { left: quotaText(quota) })}
      {!isPrivate && days !== null && ` ${t('shell.lasts', { count: days })}`}
    </Banner>
  );
}

/** The version this page was loaded with; the server may be upgraded while the page is open. */
let firstVersion: string | undefined;

function useNewVersion(): ReactNode {
  const { t } = useTranslation();
  const version = useQuery(statusQuery).data?.status?.version;
  const [isClosed, setClosed] = useState(false);
  firstVersion ??= version;
  if (version === undefined || version === firstVersion || isClosed) return null;
  return (
    <Banner
      key="version"
      tone="blue"
      icon={<IconRefresh size={18} aria-hidden />}
      onClose={() => setClosed(true)}
      action={
        <SideButton
          size="compact-xs"
          label={t('action.reload')}
          onClick={() => window.location.reload()}
        />
      }
    >
      {t('shell.newVersion', { version })}
    </Banner>
  );
}

/** The notice opens by itself on the home page; elsewhere it is a banner until it has been read. */
function useNewNotice(): ReactNode {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const user = useUser();
  const { data: text = '' } = useQuery({ ...siteNoticeQuery, enabled: user !== undefined });
  const notice = useSiteNotice(text);
  if (user === undefined || pathname === '/' || !notice.isNew) return null;
  return (
    <Banner
      key="notice"
      tone="blue"
      icon={<IconBell size={18} aria-hidden />}
      onClose={notice.markRead}
      action={
        <Anchor component={Link} to={linkTo('/', { notice: true })} c="inherit" underline="always">
          {t('shell.readNotice')}
        </Anchor>
      }
    >
      {t('shell.hasNotice')}
    </Banner>
  );
}
