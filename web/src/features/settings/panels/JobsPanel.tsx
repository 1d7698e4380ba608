import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { JOBS, type JobName as KnownJob } from '../../../../../src/domain/jobs.ts';
import { isSuperAdmin } from '../../../../../src/domain/roles.ts';
import { numberText } from '../../../../../src/domain/text/number-text.ts';
import type { Column } from '../../../components/data-table/columns.ts';
import { DataTable } from '../../../components/data-table/DataTable.tsx';
import { rowActions } from '../../../components/data-table/row-actions.tsx';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { RelativeTime } from '../../../components/display/RelativeTime.tsx';
import { StateTag } from '../../../components/display/StatusBadge.tsx';
import type { Tone } from '../../../components/display/tones.ts';
import { Empty } from '../../../components/layout/list-states.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { jobKeys } from '../../../lib/api/query-keys.ts';
import { durationText } from '../../../lib/text/dates.ts';
import { type Job, jobs } from '../calls.ts';
import { useSettings } from '../sections/settings-store.ts';

const FRESH_MS = 10_000;
/** Enough of a node's id to tell a handful of nodes apart. */
const NODE_LETTERS = 8;

/** Background jobs: last run, result and a button to run them now. */
export function JobsPanel() {
  const { t } = useTranslation();
  const { role } = useSettings();
  const query = useQuery({
    queryKey: jobKeys.list('all'),
    queryFn: ({ signal }) => jobs.list({}, { signal }),
    refetchInterval: FRESH_MS,
  });
  const run = useAction((name: string) => jobs.run({ name }), {
    touches: [jobKeys],
    done: ({ name }) => t('setting.job.started', { name }),
  });
  const actions = (job: Job) =>
    rowActions(t, {
      test: { label: t('setting.job.run'), isPrimary: true, onClick: () => run.mutate(job.name) },
    });
  return (
    <DataTable
      id="job"
      label={t('setting.section.jobs')}
      rows={query.data}
      rowId={(job) => job.name}
      columns={jobColumns(t)}
      error={query.error}
      onRetry={() => query.refetch()}
      {...(isSuperAdmin(role) && { actions })}
      empty={<Empty title={t('setting.job.empty')} />}
    />
  );
}

function jobColumns(t: TFunction): readonly Column<Job>[] {
  return [
    {
      key: 'name',
      title: t('setting.job.name'),
      width: 196,
      isWide: true,
      card: 'title',
      render: ({ name }) => <JobName name={name} />,
    },
    {
      key: 'state',
      title: t('setting.job.state'),
      width: 112,
      card: 'status',
      render: (job) => <JobState job={job} />,
    },
    {
      key: 'interval',
      title: t('setting.job.interval'),
      width: 88,
      priority: 2,
      render: ({ interval }) => (interval === null ? '-' : intervalText(interval, t)),
    },
    {
      key: 'last_run',
      title: t('setting.job.last'),
      width: 110,
      priority: 4,
      render: ({ last_run }) =>
        last_run === 0 ? t('setting.job.never') : <RelativeTime at={last_run} />,
    },
    {
      key: 'outcome',
      title: t('setting.job.outcome'),
      width: 140,
      render: ({ outcome, error, duration_ms }) => (
        <span title={error}>
          {t(`setting.job.outcome.${outcome === '' ? 'none' : outcome}`)}
          {outcome === 'done' && ` · ${durationText(duration_ms)}`}
        </span>
      ),
    },
    {
      key: 'next_run',
      title: t('setting.job.next'),
      width: 110,
      priority: 3,
      render: ({ next_run }) => (next_run === null ? '-' : <RelativeTime at={next_run} />),
    },
    {
      key: 'owner',
      title: t('setting.job.owner'),
      width: 96,
      priority: 1,
      card: 'none',
      render: ({ owner }) => <span title={owner}>{owner.slice(0, NODE_LETTERS)}</span>,
    },
  ];
}

/** Intervals are whole seconds. */
function intervalText(seconds: number, t: TFunction): string {
  return seconds < 60 ? t('duration.s', { count: seconds }) : durationText(seconds * 1000);
}

/** With the progress of a run that counts its steps. */
function JobState({ job: { state, done, total } }: { readonly job: Job }) {
  const { t } = useTranslation();
  return (
    <>
      <StateTag tone={STATE_TONES[state]}>{t(`setting.job.state.${state}`)}</StateTag>
      {state === 'running' && total > 0 && (
        <Dimmed>
          {t('setting.job.progress', { done: numberText(done), total: numberText(total) })}
        </Dimmed>
      )}
    </>
  );
}

/** The translated name, with the name that `gateway job` takes. */
function JobName({ name }: { readonly name: string }) {
  const { t } = useTranslation();
  return (
    <>
      {isJob(name) && <Text>{t(`setting.job.does.${name}`)}</Text>}
      <Dimmed ff="monospace">{name}</Dimmed>
    </>
  );
}

/** A gateway of another release may have other jobs. */
function isJob(name: string): name is KnownJob {
  return Object.hasOwn(JOBS, name);
}

const STATE_TONES: Readonly<Record<Job['state'], Tone>> = {
  off: 'grey',
  waiting: 'blue',
  requested: 'yellow',
  running: 'green',
};
