/** Placeholders for a region that is loading, empty or failed. */

import { Button, EmptyState, Skeleton, Stack } from '@mantine/core';
import {
  IconAlertTriangle,
  IconInbox,
  IconLock,
  IconSearchOff,
  IconToggleLeft,
} from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { ApiError } from '../../lib/api/api.ts';
import { linkTo, type UrlStateOf } from '../../lib/browser/page-links.ts';
import { useIsAdmin } from '../../lib/session/session.ts';
import { CopyWideButton } from '../display/copy.tsx';
import { SideButton } from '../display/SideButton.tsx';
import { problemDetails, problemText } from '../forms/call-problem.ts';
import classes from './list-states.module.css';

/** Skeletons of lines, cards or one block, after 150 ms. */
export function Loading({
  lines = 5,
  height = 16,
}: {
  readonly lines?: number;
  readonly height?: number;
}) {
  const { t } = useTranslation();
  return (
    <Late>
      <Stack gap="sm" role="status" aria-label={t('part.loading')}>
        {Array.from({ length: lines }, (_, line) => (
          <Skeleton key={`line ${line}`} height={height} width={`${100 - (line % 3) * 14}%`} />
        ))}
      </Stack>
    </Late>
  );
}

export interface EmptyProps {
  readonly title: string;
  readonly text?: ReactNode;
  readonly icon?: ReactNode;
  /** The next step, usually a button. */
  readonly action?: ReactNode;
}

/** Nothing exists yet: explains what belongs here and offers to create the first. */
export function Empty({ title, text, icon = <IconInbox size={36} />, action }: EmptyProps) {
  return (
    <EmptyState py="xl" icon={icon} title={title} description={text}>
      {action !== undefined && <EmptyState.Actions mt="xs">{action}</EmptyState.Actions>}
    </EmptyState>
  );
}

interface NoMatchProps {
  readonly onClear: () => void;
  /** Another way to see more, e.g. "last 7 days". */
  readonly action?: ReactNode;
}

/** Records exist, but none match the filters. */
export function NoMatch({ onClear, action }: NoMatchProps) {
  const { t } = useTranslation();
  return (
    <Empty
      icon={<IconSearchOff size={36} />}
      title={t('part.noMatch')}
      action={
        <>
          <SideButton label={t('part.clearFilters')} onClick={onClear} />
          {action}
        </>
      }
    />
  );
}

interface FailedProps {
  readonly error: unknown;
  readonly onRetry: () => unknown;
  /** Replaces "Loading failed". */
  readonly title?: string;
}

/** This region failed; the others keep working. */
export function LoadFailed({ error, onRetry, title }: FailedProps) {
  const { t } = useTranslation();
  return (
    <EmptyState
      py="xl"
      role="alert"
      icon={<IconAlertTriangle size={36} />}
      title={title ?? t('part.failed')}
      description={problemText(t, error)}
    >
      <EmptyState.Actions mt="xs">
        <Button onClick={() => void onRetry()}>{t('action.retry')}</Button>
        {error instanceof ApiError && (
          <CopyWideButton text={problemDetails(error)}>{t('action.copyDetails')}</CopyWideButton>
        )}
      </EmptyState.Actions>
    </EmptyState>
  );
}

export function NoPermission() {
  const { t } = useTranslation();
  return (
    <EmptyState py={64} icon={<IconLock size={36} />}>
      <EmptyState.Title order={1}>{t('part.noPermission.title')}</EmptyState.Title>
      <EmptyState.Description>{t('part.noPermission.text')}</EmptyState.Description>
      <EmptyState.Actions mt="xs">
        <Button component={Link} to="/app/tokens">
          {t('part.noPermission.back')}
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  );
}

interface FeatureOffProps {
  /** The disabled feature, in the user's language. */
  readonly name: string;
  /** The tab of the settings where an administrator enables it. */
  readonly settings: UrlStateOf<'/admin/settings'>['tab'];
}

export function FeatureOff({ name, settings }: FeatureOffProps) {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  return (
    <Empty
      icon={<IconToggleLeft size={36} />}
      title={t('part.featureOff.title', { name })}
      text={t(isAdmin ? 'part.featureOff.admin' : 'part.featureOff.user')}
      action={
        isAdmin && (
          <Button
            component={Link}
            to={linkTo('/admin/settings', { tab: settings })}
            variant="default"
          >
            {t('part.featureOff.open')}
          </Button>
        )
      }
    />
  );
}

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  readonly loading?: ReactNode;
  readonly children: (data: T) => ReactNode;
}

/** A region's loading, failed and loaded states. Old data stays while new data is fetched. */
export function Loaded<T>({ query, loading = <Loading />, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <LoadFailed error={query.error} onRetry={() => query.refetch()} />;
  return loading;
}

/** Shows its children only after 150 ms, so that a skeleton does not flash. */
function Late({ children }: { readonly children: ReactNode }) {
  return <div className={classes.late}>{children}</div>;
}
