import * as a from 'apache-arrow'; import fs from 'fs';
const docs=fs.readFileSync('documents.jsonl','utf8').trim().split('\n').map(l=>JSON.parse(l));
const items=a.vectorFromArray(docs.map(d=>d.items), new a.List(new a.Field('item', new a.Utf8())));
const counts=a.vectorFromArray(docs.map(d=>d.counts), new a.List(new a.Field('item', new a.Int32())));
const t=new a.Table({items,counts});
fs.writeFileSync('js_file.arrow',a.tableToIPC(t,'file'));fs.writeFileSync('js_stream.arrows',a.tableToIPC(t,'stream'));
const o=[],s=[],q=[];docs.forEach((d,i)=>d.items.forEach((w,k)=>{o.push(i);s.push(w);q.push(d.counts[k]);}));
const lt=new a.Table({order_id:a.vectorFromArray(o,new a.Int32()),sku:a.vectorFromArray(s),qty:a.vectorFromArray(q,new a.Float64())});
fs.writeFileSync('js_long.arrow',a.tableToIPC(lt,'file'));
