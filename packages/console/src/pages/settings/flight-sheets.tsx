/** The pages of flight sheets: the list, one version, and the editor. */
import type { FlightSheet } from '@rcpt/contract/ledger/flight-sheet.ts';
import { useQuery } from '@tanstack/react-query';
import { Redirect, useParams, useSearchParams } from 'wouter';
import { flightSheetsQuery, useSession } from '../../api/queries.ts';
import { Problem } from '../../components/problem.tsx';
import { Skeleton, SkeletonRows } from '../../components/skeleton.tsx';
import { deniedReason } from '../../format/permissions.ts';
import { NotFound } from '../../layout/not-found.tsx';
import { Page } from '../../layout/page.tsx';
import { OwnersOnly } from './owners-only.tsx';
import { sheetQuery } from './queries.ts';
import { Editor } from './sheets/editor.tsx';
import { addressOf, SheetList } from './sheets/sheet-list.tsx';
import { SheetPage } from './sheets/sheet-page.tsx';
import './settings.css';
import './sheets/sheets.css';

const UP = { href: '/settings/flight-sheets', label: 'Flight sheets' };

export function FlightSheets() {
  const [name = '', version, ...more] = (useParams()['*'] ?? '').split('/').map(decoded);
  if (name === '') return <SheetList />;
  if (more.length > 0) return <NotFound />;
  if (version !== undefined) return <OneSheet key={`${name} ${version}`} name={name} version={version} />;
  return name === 'new' ? <NewSheet /> : <Newest name={name} />;
}

function OneSheet({ name, version }: { name: string; version: string }) {
  const sheet = useQuery(sheetQuery(name, version));
  if (sheet.data) return <SheetPage sheet={sheet.data} />;
  return <Waiting title={name} error={sheet.error} retry={() => void sheet.refetch()} />;
}

/** Only a name: its newest version. */
function Newest({ name }: { name: string }) {
  const sheets = useQuery(flightSheetsQuery);
  if (!sheets.data) return <Waiting title={name} error={sheets.error} retry={() => void sheets.refetch()} />;
  const newest = sheets.data.findLast((sheet) => sheet.name === name);
  return newest ? <Redirect to={addressOf(newest)} replace /> : <NotFound />;
}

function NewSheet() {
  const [search] = useSearchParams();
  const from = search.get('from');
  const may = deniedReason(useSession().role, 'work') === null;
  if (!may)
    return (
      <Page title="New flight sheet" narrow up={UP}>
        <OwnersOnly icon="sliders" what="flight sheets" />
      </Page>
    );
  return from === null ? <Blank /> : <NextVersion key={from} from={from} />;
}

function Blank() {
  const sheets = useQuery(flightSheetsQuery);
  if (!sheets.data)
    return <Waiting title="New flight sheet" error={sheets.error} retry={() => void sheets.refetch()} />;
  return <Editor key="new" from={null} published={namesOf(sheets.data)} />;
}

function NextVersion({ from }: { from: string }) {
  const [name = '', version = ''] = from.split('@');
  const sheet = useQuery(sheetQuery(name, version));
  const sheets = useQuery(flightSheetsQuery);
  if (sheet.data && sheets.data) return <Editor from={sheet.data} published={namesOf(sheets.data)} />;
  const retry = () => void Promise.all([sheet.refetch(), sheets.refetch()]);
  return <Waiting title={`New version of ${name}`} error={sheet.error ?? sheets.error} retry={retry} />;
}

function namesOf(sheets: readonly FlightSheet[]): ReadonlySet<string> {
  return new Set(sheets.map(({ name, version }) => `${name}@${version}`));
}

function Waiting({ title, error, retry }: { title: string; error: unknown; retry: () => void }) {
  return (
    <Page title={title} narrow up={UP}>
      {error ? (
        <Problem error={error} retry={retry} />
      ) : (
        <div className="panel" aria-busy="true">
          <Skeleton width="14rem" height="1rem" />
          <SkeletonRows rows={6} height="3.4rem" />
        </div>
      )}
    </Page>
  );
}

/** A path that is no UTF-8 names nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
