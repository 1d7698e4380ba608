import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../../components/display/Notice.tsx';
import { type LogLine, logKeys, readLog } from '../calls.ts';
import { factsOf } from '../facts.ts';
import classes from '../Log.module.css';
import { ContentBlock } from './ContentBlock.tsx';
import { PriceTable } from './PriceTable.tsx';
import { AttemptsBlock, Block, RequestBlock, TimingBlock } from './RequestBlocks.tsx';

/** All details of one log entry, in blocks; an entry without a price or messages has fewer. */
export function LogDetail({ line }: { readonly line: LogLine }) {
  const { t } = useTranslation();
  const facts = factsOf(line.other);
  if (facts === undefined) return <Unreadable line={line} />;
  const hasPrice = facts.model_ratio !== undefined || facts.model_price !== undefined;
  return (
    <div className={classes.blocks}>
      <div className={classes.column}>
        <RequestBlock line={line} />
        <AttemptsBlock line={line} />
      </div>
      <div className={classes.column}>
        <TimingBlock line={line} />
        {hasPrice && (
          <Block title={t('log.price')}>
            <PriceTable line={line} />
          </Block>
        )}
      </div>
      <ContentBlock line={line} />
    </div>
  );
}

function Unreadable({ line }: { readonly line: LogLine }) {
  const { t } = useTranslation();
  return (
    <div className={classes.blocks}>
      <RequestBlock line={line} />
      <div className={classes.wide}>
        <Notice tone="yellow" title={t('log.unreadable')}>
          <pre className={classes.raw}>{line.other}</pre>
        </Notice>
      </div>
    </div>
  );
}

interface ExpandedProps {
  readonly line: LogLine;
  readonly isAdmin: boolean;
}

/** Details below a row: the list's entry at first, the complete one once loaded. */
export function ExpandedLog({ line, isAdmin }: ExpandedProps) {
  const whole = useQuery({
    queryKey: logKeys.one(line.id),
    queryFn: ({ signal }) => readLog(isAdmin, line.id, signal),
    enabled: factsOf(line.other)?.is_cut === true,
  });
  return (
    <div className={classes.expanded}>
      <LogDetail line={whole.data ?? line} />
    </div>
  );
}
