import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { CopyWideButton } from '../../../components/display/copy.tsx';
import { DetailDrawer } from '../../../components/layout/DetailDrawer.tsx';
import { Loaded } from '../../../components/layout/list-states.tsx';
import { logKeys } from '../../../lib/api/query-keys.ts';
import { useBaseUrl } from '../../../lib/site/base-url.ts';
import { type LogEntry, readLog } from '../calls.ts';
import classes from '../Log.module.css';
import { useTypeName } from '../list/type-name.ts';
import { logCurl } from './curl.ts';
import { LogDetail } from './LogDetail.tsx';
import { Block } from './RequestBlocks.tsx';

interface LogInspectorProps {
  readonly id: string;
  readonly onId: (id: string) => void;
  readonly entries: readonly LogEntry[];
  readonly isAdmin: boolean;
}

const WIDTH_PX = 720;

/** One complete entry beside the list, even if the list does not contain it. */
export function LogInspector({ id, onId, entries, isAdmin }: LogInspectorProps) {
  const { t } = useTranslation();
  const nameOf = useTypeName();
  const number = Number(id);
  const query = useQuery({
    queryKey: logKeys.one(number),
    queryFn: ({ signal }) => readLog(isAdmin, number, signal),
    enabled: /^\d+$/.test(id),
    placeholderData: entries.find((entry) => entry.id === number),
  });
  const entry = query.data;
  return (
    <DetailDrawer
      id={id}
      onId={onId}
      ids={entries.map((one) => String(one.id))}
      width={WIDTH_PX}
      title={entry ? `${nameOf(entry.type)} ${entry.model_name}` : t('log.entry')}
      actions={entry && entry.model_name !== '' && <CurlButton entry={entry} />}
    >
      <Loaded query={query}>
        {(shown) => (
          <Stack gap="lg">
            <LogDetail entry={shown} />
            <RawBlock entry={shown} />
          </Stack>
        )}
      </Loaded>
    </DetailDrawer>
  );
}

function CurlButton({ entry }: { readonly entry: LogEntry }) {
  const { t } = useTranslation();
  const origin = useBaseUrl();
  return <CopyWideButton text={logCurl(entry, origin)}>{t('common.copyCurl')}</CopyWideButton>;
}

function RawBlock({ entry }: { readonly entry: LogEntry }) {
  const { t } = useTranslation();
  const { facts } = entry;
  if (Object.keys(facts).length === 0) return null;
  return (
    <Block title={t('log.raw')}>
      <pre className={classes.raw}>{JSON.stringify(facts, null, 2)}</pre>
    </Block>
  );
}
