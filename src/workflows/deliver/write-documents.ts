import type { DeliverState } from '../../contract/deliver.ts';
import { write } from '../../engine/decide.ts';
import { documentsOf } from './documents.ts';
import { hasOwnTree } from './locations.ts';
import { say } from './messages.ts';
import { go, type Next } from './moves.ts';

/** One outside write for all documents, into the stored docs_path and nowhere else (WF-03). */
export function writeDocuments(state: DeliverState): Next {
  const { docs_path, slug } = state;
  const input = {
    docs_path,
    slug,
    branch: null,
    base: null,
    in_place: true,
    overwrite: true,
    own_only: !hasOwnTree(state),
    message: say('deliver.commit', { task: slug }),
    documents: documentsOf(state),
  };
  return write('write_documents', input, (_, at) => go(state, at, { documents: 'current' }));
}
