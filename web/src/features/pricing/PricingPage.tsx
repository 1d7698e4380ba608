import { Box, Button, Group, SegmentedControl } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconScale } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { BulkBar } from '../../components/data-table/BulkBar.tsx';
import { CopyWideButton } from '../../components/display/copy.tsx';
import { Notice } from '../../components/display/Notice.tsx';
import { SideButton } from '../../components/display/SideButton.tsx';
import { ratioText } from '../../components/display/tag-lists.tsx';
import { SearchInput } from '../../components/forms/SearchInput.tsx';
import { Loading } from '../../components/layout/list-states.tsx';
import { PageHeader } from '../../components/layout/PageHeader.tsx';
import { useDraft } from '../../hooks/useDraft.ts';
import { useIsNarrow, useIsPhone } from '../../lib/display/screen.ts';
import { useUser } from '../../lib/session/session.ts';
import { MAX_COMPARED } from './Calculator.tsx';
import { ModelDrawer } from './ModelDrawer.tsx';
import { ModelList } from './ModelList.tsx';
import { PriceFilters } from './PriceFilters.tsx';
import classes from './Pricing.module.css';
import { type PricingState, usePricingPage } from './usePricingPage.ts';

/** The price of every model, for users and guests. */
export function PricingPage() {
  const { t } = useTranslation();
  const prices = usePricingPage();
  const isNarrow = useIsNarrow();
  const [isRailOpen, setRailOpen] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<string | number>>(new Set());
  const header = <PageHeader title={t('pricing.title')} hint={t('pricing.hint')} />;
  if (prices.list === undefined && prices.error === undefined)
    return (
      <>
        {header}
        {/* As high as the list, so that the footer does not move. */}
        <Box mih="100dvh">
          <Loading lines={12} height={24} />
        </Box>
      </>
    );
  return (
    <>
      {header}
      {prices.list && <GroupNotice prices={prices} />}
      <div className={classes.page}>
        {(!isNarrow || isRailOpen) && prices.list && <PriceFilters prices={prices} />}
        <Box flex={1} miw={0}>
          <Tools
            prices={prices}
            {...(isNarrow && { onFilters: () => setRailOpen(!isRailOpen), isOpen: isRailOpen })}
          />
          <ModelList prices={prices} chosen={chosen} onChosen={setChosen} />
        </Box>
      </div>
      <ChosenModels
        models={[...chosen].map(String)}
        onClear={() => setChosen(new Set())}
        onCompare={([model = '', ...others]) => prices.set({ model, with: others })}
      />
      <ModelDrawer prices={prices} />
    </>
  );
}

interface ToolsProps {
  readonly prices: PricingState;
  /** Set if the filters do not fit beside the list. */
  readonly onFilters?: () => void;
  readonly isOpen?: boolean;
}

function Tools({ prices: { state, set }, onFilters, isOpen = false }: ToolsProps) {
  const { t } = useTranslation();
  const search = useDraft<{ readonly q: string }>({ q: state.q }, set);
  const isPhone = useIsPhone();
  return (
    <Group mb="sm">
      <SearchInput
        type="search"
        flex="1 1 200px"
        data-page-search
        label={t('common.searchModels')}
        value={search.draft.q}
        onChange={(q) => search.type({ q })}
      />
      {onFilters && (
        <SideButton
          aria-expanded={isOpen}
          icon={IconAdjustmentsHorizontal}
          label={t('part.filter.title')}
          onClick={onFilters}
        />
      )}
      <SegmentedControl
        aria-label={t('pricing.per')}
        value={state.per}
        onChange={(per) => set({ per })}
        data={[
          { value: '1M', label: t('pricing.per.1M') },
          { value: '1K', label: t('pricing.per.1K') },
        ]}
      />
      <SegmentedControl
        aria-label={t('pricing.money')}
        value={state.money}
        onChange={(money) => set({ money })}
        data={[
          { value: 'usd', label: t('pricing.money.usd') },
          { value: 'quota', label: t('common.quota') },
        ]}
      />
      {!isPhone && (
        <SegmentedControl
          aria-label={t('common.view')}
          value={state.view}
          onChange={(view) => set({ view })}
          data={[
            { value: 'table', label: t('common.table') },
            { value: 'cards', label: t('pricing.view.cards') },
          ]}
        />
      )}
    </Group>
  );
}

interface ChosenModelsProps {
  readonly models: readonly string[];
  readonly onClear: () => void;
  readonly onCompare: (models: readonly string[]) => void;
}

function ChosenModels({ models, onClear, onCompare }: ChosenModelsProps) {
  const { t } = useTranslation();
  return (
    <BulkBar count={models.length} onClear={onClear}>
      <CopyWideButton size="xs" text={models.join(',')}>
        {t('pricing.copyNames')}
      </CopyWideButton>
      <SideButton
        size="xs"
        icon={IconScale}
        disabled={models.length < 2 || models.length > MAX_COMPARED}
        label={t('pricing.compare', { most: MAX_COMPARED })}
        onClick={() => onCompare(models)}
      />
    </BulkBar>
  );
}

/** The group of the prices shown, and its ratio. */
function GroupNotice({ prices: { list, group } }: { readonly prices: PricingState }) {
  const { t } = useTranslation();
  const user = useUser();
  const ratio = ratioText(list?.group_ratio[group] ?? 1);
  return (
    <Box mb="sm">
      {user === undefined ? (
        <Notice
          tone="blue"
          action={
            <Button component={Link} to="/login?returnTo=/pricing" size="xs" variant="default">
              {t('common.signIn')}
            </Button>
          }
        >
          {t('pricing.guest', { group, ratio })}
        </Notice>
      ) : (
        <Notice tone="blue">
          {t(group === user.group ? 'pricing.own' : 'pricing.other', { group, ratio })}
        </Notice>
      )}
    </Box>
  );
}
