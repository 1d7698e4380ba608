import { useCallbackRef } from '@mantine/hooks';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LOG_TYPE } from '../../../../../src/domain/logs/log-types.ts';
import {
  isRangeWord,
  type RangeWord,
  USUAL_LOG_RANGE,
} from '../../../../../src/domain/logs/time-ranges.ts';
import { ColumnSettings } from '../../../components/data-table/ColumnSettings.tsx';
import { DataTable } from '../../../components/data-table/DataTable.tsx';
import { rowActions } from '../../../components/data-table/row-actions.tsx';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { Empty, NoMatch } from '../../../components/layout/list-states.tsx';
import { PageHeader } from '../../../components/layout/PageHeader.tsx';
import { useUrlList } from '../../../hooks/useList.ts';
import { logKeys } from '../../../lib/api/query-keys.ts';
import { STORED } from '../../../lib/browser/stored.ts';
import { useUrlState } from '../../../lib/browser/url-state.ts';
import { useIsAdmin } from '../../../lib/session/session.ts';
import { useStatus } from '../../../lib/site/status.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { type LogEntry, listLogs } from '../calls.ts';
import { ExpandedLog } from '../detail/LogDetail.tsx';
import { LogInspector } from '../detail/LogInspector.tsx';
import classes from '../Log.module.css';
import { CellMenu, type OnCell, type OpenCell } from './CellMenu.tsx';
import { LogFilters } from './LogFilters.tsx';
import { LogSums } from './LogSums.tsx';
import { ExportMenu, LiveMenu, TimeSwitch } from './LogTools.tsx';
import { useLogColumns } from './log-columns.tsx';
import { choiceOf, type LogChoice, logFields } from './log-filter.ts';
import { ViewsMenu } from './ViewsMenu.tsx';

/** Every call and its cost: the whole log for administrators, their own entries for others. */
export function LogPage() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const usualRange = useUsualRange();
  const fields = useMemo(() => logFields(usualRange), [usualRange]);
  const url = useUrlState(fields);
  const { state, set, reset, isNarrowed } = url;
  const choice = useMemo(() => choiceOf(state), [state]);
  const live = useLive(state);
  const list = useUrlList(logKeys, url, { choice, isAdmin }, listLogs, {
    size: STORED.logPageSize,
    refetchMs: live.refetchMs,
  });
  const entries = list.items ?? [];
  const fresh = useFresh(
    list.items?.map(({ id }) => id),
    live.everySec > 0,
  );
  const [picked, setPicked] = useState<OpenCell>();
  const onPick = useCallback<OnCell>((event, pick) => {
    event.stopPropagation();
    setPicked({ ...pick, anchor: event.currentTarget.getBoundingClientRect() });
  }, []);
  const columns = useLogColumns(isAdmin, onPick);
  const inspect = useCallbackRef((entry: LogEntry) => set({ id: String(entry.id) }));
  const rows = useRowLook(isAdmin, fresh, inspect);
  return (
    <>
      <PageHeader
        title={t('nav.logs')}
        hint={t(isAdmin ? 'log.hint.all' : 'log.hint.own')}
        actions={
          <>
            <ViewsMenu />
            <LiveMenu {...live} onChange={live.setEverySec} />
          </>
        }
      />
      <LogSums choice={choice} isAdmin={isAdmin} entries={entries} refetchMs={live.refetchMs} />
      <LogFilters
        state={state}
        set={set}
        reset={reset}
        usualRange={usualRange}
        isAdmin={isAdmin}
        tools={
          <>
            <TimeSwitch />
            <ExportMenu choice={choice} isAdmin={isAdmin} />
            <ColumnSettings id="log" columns={columns} />
          </>
        }
      />
      <div className={classes.list} onScrollCapture={live.onScroll}>
        <DataTable
          {...list.tableProps}
          isTight
          id="log"
          label={t('nav.logs')}
          rowId={(entry) => entry.id}
          columns={columns}
          onOpen={live.onOpen}
          onRow={inspect}
          {...rows}
          empty={<NoEntries isNarrowed={isNarrowed} onClear={reset} onWiden={set} />}
        />
      </div>
      {list.query.data?.total_is_estimate && <Dimmed mt="xs">{t('log.estimate')}</Dimmed>}
      <CellMenu picked={picked} onClose={() => setPicked(undefined)} onFilter={set} />
      <LogInspector
        id={state.id}
        onId={(id) => set({ id }, { replace: state.id !== '' && id !== '' })}
        entries={entries}
        isAdmin={isAdmin}
      />
    </>
  );
}

/** The option `LogDefaultRange`. */
function useUsualRange(): RangeWord {
  const range = useStatus()?.log_default_range;
  return isRangeWord(range) ? range : USUAL_LOG_RANGE;
}

/** Row props; stable across renders, so that rows do not re-render. */
function useRowLook(
  isAdmin: boolean,
  fresh: ReadonlySet<number>,
  inspect: (entry: LogEntry) => void,
) {
  const t = useCellText();
  return useMemo(
    () => ({
      detail: (entry: LogEntry) => <ExpandedLog entry={entry} isAdmin={isAdmin} />,
      actions: (entry: LogEntry) =>
        rowActions(t, {
          inspect: { label: t('log.inspect'), isPrimary: true, onClick: () => inspect(entry) },
        }),
      mark: ({ id, type }: LogEntry) =>
        fresh.has(id) ? 'fresh' : type === LOG_TYPE.error ? 'failed' : undefined,
    }),
    [t, isAdmin, fresh, inspect],
  );
}

/** Pauses the live tail while the user is scrolled down, has a row open or has selected text. */
function useLive({ page, id }: { readonly page: number; readonly id: string }) {
  const [everySec, setEverySec] = useState(0);
  const [openRows, setOpenRows] = useState(0);
  const [isScrolled, setScrolled] = useState(false);
  const hasSelection = useHasSelection();
  const isPaused = page > 1 || id !== '' || openRows > 0 || isScrolled || hasSelection;
  const refetchMs: number | false = everySec > 0 && !isPaused ? everySec * 1000 : false;
  return {
    everySec,
    setEverySec,
    isPaused,
    refetchMs,
    onOpen: setOpenRows,
    onScroll: (event: React.UIEvent) =>
      setScrolled(event.target instanceof Element && event.target.scrollTop > 0),
  };
}

interface NoEntriesProps {
  readonly isNarrowed: boolean;
  readonly onClear: () => void;
  readonly onWiden: (patch: Partial<LogChoice>) => void;
}

function NoEntries({ isNarrowed, onClear, onWiden }: NoEntriesProps) {
  const { t } = useTranslation();
  const widen = (
    <SideButton label={t('log.widen')} onClick={() => onWiden({ from: '30d', to: '' })} />
  );
  if (isNarrowed) return <NoMatch onClear={onClear} action={widen} />;
  return <Empty title={t('log.none.title')} text={t('log.none.text')} action={widen} />;
}

/** How long a new row is marked: the duration of its fade-in. */
const FRESH_MS = 2_000;

/** Ids that the previous response did not have. None for the first, nor while `isLive` is off. */
function useFresh(ids: readonly number[] | undefined, isLive: boolean): ReadonlySet<number> {
  const [known, setKnown] = useState<ReadonlySet<number> | undefined>();
  const joined = ids?.join(',');
  useEffect(() => {
    if (!isLive) setKnown(undefined);
    if (!isLive || joined === undefined) return;
    const read = () => setKnown(idsOf(joined));
    const timer = setTimeout(read, FRESH_MS);
    return () => clearTimeout(timer);
  }, [joined, isLive]);
  return useMemo(() => {
    if (!isLive || known === undefined || joined === undefined) return NONE;
    const fresh = [...idsOf(joined)].filter((id) => !known.has(id));
    return fresh.length === 0 ? NONE : new Set(fresh);
  }, [joined, known, isLive]);
}

function idsOf(joined: string): ReadonlySet<number> {
  return new Set(joined.split(',').map(Number));
}

const NONE: ReadonlySet<number> = new Set();

/** True while the user has selected text, which a new row would move. */
function useHasSelection(): boolean {
  const [has, setHas] = useState(false);
  useEffect(() => {
    const look = () => setHas(document.getSelection()?.isCollapsed === false);
    document.addEventListener('selectionchange', look);
    return () => document.removeEventListener('selectionchange', look);
  }, []);
  return has;
}
