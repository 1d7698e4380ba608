import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { CopyWideButton } from '../../../components/display/copy.tsx';
import { DetailDrawer } from '../../../components/layout/DetailDrawer.tsx';
import { Loaded } from '../../../components/layout/list-states.tsx';
import { logKeys } from '../../../lib/api/query-keys.ts';
import { useBaseUrl } from '../../../lib/site/base-url.ts';
import { type LogLine, readLog } from '../calls.ts';
import { factsOf } from '../facts.ts';
import classes from '../Log.module.css';
import { useTypeName } from '../list/type-name.ts';
import { logCurl } from './curl.ts';
import { LogDetail } from './LogDetail.tsx';
import { Block } from './RequestBlocks.tsx';

interface LogInspectorProps {
  readonly id: string;
  readonly onId: (id: string) => void;
  readonly lines: readonly LogLine[];
  readonly isAdmin: boolean;
}

const WIDTH_PX = 720;

/** One complete entry beside the list, even if the list does not contain it. */
export function LogInspector({ id, onId, lines, isAdmin }: LogInspectorProps) {
  const { t } = useTranslation();
  const nameOf = useTypeName();
  const number = Number(id);
  const query = useQuery({
    queryKey: logKeys.one(number),
    queryFn: ({ signal }) => readLog(isAdmin, number, signal),
    enabled: /^\d+$/.test(id),
    placeholderData: lines.find((line) => line.id === number),
  });
  const line = query.data;
  return (
    <DetailDrawer
      id={id}
      onId={onId}
      ids={lines.map((one) => String(one.id))}
      width={WIDTH_PX}
      title={line ? `${nameOf(line.type)} ${line.model_name}` : t('log.line')}
      actions={line && line.model_name !== '' && <CurlButton line={line} />}
    >
      <Loaded query={query}>
        {(shown) => (
          <Stack gap="lg">
            <LogDetail line={shown} />
            <RawBlock line={shown} />
          </Stack>
        )}
      </Loaded>
    </DetailDrawer>
  );
}

function CurlButton({ line }: { readonly line: LogLine }) {
  const { t } = useTranslation();
  const origin = useBaseUrl();
  return <CopyWideButton text={logCurl(line, origin)}>{t('log.curl')}</CopyWideButton>;
}

function RawBlock({ line }: { readonly line: LogLine }) {
  const { t } = useTranslation();
  const facts = factsOf(line.other);
  if (facts === undefined || Object.keys(facts).length === 0) return null;
  return (
    <Block title={t('log.raw')}>
      <pre className={classes.raw}>{JSON.stringify(facts, null, 2)}</pre>
    </Block>
  );
}
